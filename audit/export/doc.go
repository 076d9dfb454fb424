// Package export writes a recorded session in the formats of other programs.
//
//	Cast   asciicast v3, which asciinema 3 and its web player play
//	Cast2  asciicast v2, for asciinema 2, which refuses v3
//	Text   what a person saw, as lines (play.Text)
//	JSON   one object per line, for programs
//	HTML   one page with player, session and what is known of its proof
//
// All of them verify as they read: nothing unproven is written, and the error is a *audit.BadEntry
// for the first event that does not verify. All of them stream; memory does not grow with the
// session.
//
// # JSON
//
// The first line is the header of the transcript, as in asciicast v3. Each other line is an event:
//
//	{"seq":0,"time_us":1500,"code":"o","author":"program","length":5,"text":"hello"}
//
// code is that of package audit, length the number of bytes of the stream that the event
// represents. For data that is not UTF-8 there is base64 instead of text; an event whose data was
// removed has "redacted":true and neither. Members may be added, but none will change its meaning.
//
// # HTML
//
// The page is for a person without tada-run: it opens from a disk, without a network. Its content
// security policy allows no source but the scripts in it, by their hashes, and forbids every
// connection, so that nothing that a recorded program printed can call home. Text from the record
// is either escaped, or in a data block as JSON in which no "<" is left; none of it is markup. What
// was typed has its author's colour where the program echoed it, and the marks of log and
// transcript are on the player's bar. The page shows what was verified, when and by what, but
// proves nothing by itself: anyone can write a page.
//
// # The player
//
// player/ holds files of other authors, unchanged:
//
//	asciinema-player  3.17.0  Apache-2.0  npm asciinema-player, dist/bundle
//	  asciinema-player.min.js  a13c37632e1b5c49fe9128417b9319a9b5bc64cb457dd5ae52cbba8a3aceb880
//	  asciinema-player.css     f619fe17597043564f03b2c6918b3daf890ee8b912fb408542fba11afade4fdb
//	  LICENSE                  63422284ed65be54ab38d8a94e7518d27e222fbb26c9ae4cd984c63926e91c12
//
// The figures are SHA-256, and a test compares them. The package of 3.17.0 has the npm integrity
// sha512-JbjNJmA2TLIeYNaOEja+kVSzXadKoqpIzVVmfBGNj2DmdtE/vExBCnkE8NYEcpaQcDvUYg8Ltt0urT80frACmw==.
package export
