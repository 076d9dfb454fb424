// Package canonical reads and writes JSON that has exactly one spelling per value.
//
// A hash binds bytes, but a person agrees to a value. The two mean the same only if every value has
// one spelling and every accepted text has one value. Then a hash of the text is a hash of the
// meaning, on any machine and in any language that follows the rules below.
//
// # The spelling
//
// The spelling is what Python writes for
//
//	json.dumps(v, sort_keys=True, separators=(',', ':'), ensure_ascii=True)
//
// so anyone can check it with a standard library alone. In bytes:
//
//	object   '{' string ':' value { ',' string ':' value } '}'   keys strictly rising
//	array    '[' value { ',' value } ']'
//	integer  '0' or an optional '-' and digits without a leading zero; -2^63 to 2^64-1
//	literal  true false null
//	string   '"' and '"' around:
//	         " and \                  \" \\
//	         backspace tab LF FF CR   \b \t \n \f \r
//	         other bytes below 0x20   \u00xx, lower-case hexadecimal
//	         0x20 to 0x7e             themselves; '/' and '<' are not special
//	         DEL (0x7f)               \u007f
//	         U+0080 to U+FFFF         \uxxxx
//	         above U+FFFF             a surrogate pair
//	         a byte XX that is not part of valid UTF-8   \udcXX alone
//
// There is no white space and no newline at the end. Keys rise by code point, which for UTF-8 is
// the order of the bytes; an invalid byte XX counts as U+DCXX. RFC 8785 sorts by UTF-16 units and
// differs above U+FFFF: its libraries do not fit here.
//
// # Strings are bytes
//
// Names and arguments on Linux are bytes, not text. The rule for invalid bytes is Python's
// surrogateescape (PEP 383), so two arguments that differ only in the bytes FE and FF have two
// spellings and two hashes. An encoded surrogate (ED A0 80) is not valid UTF-8: it becomes three
// single bytes. [Parse] returns the original bytes.
//
// # What is refused
//
// Floats, because languages print them differently. Duplicate keys, because parsers read them
// differently. Values nested deeper than [MaxDepth]. Any text that is not the one spelling of its
// value: spaces, upper-case hexadecimal, unnecessary escapes, unsorted keys, "-0", lone surrogates
// that represent no byte, surrogate escapes whose bytes join into valid UTF-8.
//
// Integers above 2^53 are exact here and in Python; jq and JavaScript round them. For those
// readers, use a string.
//
// # Example
//
//	b, err := canonical.Append(nil, map[string]any{"argv": []string{"rm", "a\xff"}, "uid": 1000})
//	// {"argv":["rm","a\udcff"],"uid":1000}
//	v, err := canonical.Parse(b)
//	// map[string]any{"argv": []any{"rm", "a\xff"}, "uid": int64(1000)}
package canonical
