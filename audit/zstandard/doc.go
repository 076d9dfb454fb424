// Package zstandard packs and unpacks transcripts at rest (RFC 8878). It is not part of package
// audit, which takes it as a parameter, because the program that starts every command packs
// nothing: the tables that this code makes at start would take a fortieth of its start time.
//
//	f, err := audit.OpenTranscript(path, audit.Codec{Encoder: zstandard.Encoder, Decoder: zstandard.Decoder})
//
// A frame is independent and at most as long as the encoder allows. A decoder refuses a frame that
// claims to be longer, so a hostile file cannot make it use more memory than that. An error means
// that a frame is damaged; no part of it is returned.
package zstandard
