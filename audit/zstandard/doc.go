// Package zstandard packs and unpacks transcripts at rest (RFC 8878). It is apart from package
// audit, which takes it as a parameter, because the program that every command starts with packs
// nothing: the tables that this code makes when a process starts would be a fortieth of such a
// start.
//
//	f, err := audit.OpenTranscript(path, audit.Codec{Encoder: zstandard.Encoder, Decoder: zstandard.Decoder})
//
// A frame is whole in itself and no longer than the encoder was told. A decoder refuses one that
// says it is longer, so a hostile file cannot make it take more memory than that. An error says
// that a frame is damaged; nothing of it is returned then.
package zstandard
