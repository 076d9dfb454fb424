// Package render shows a plan to a person, as a page or as a line of a list, and says in a sentence
// what went wrong with its approval, in English and in Chinese. All its functions are pure.
//
// # The page
//
// [Render] is a pure function of the stored bytes: prompt, inbox and browser show the same page,
// under a phrase that only this user's real prompts have. The first page has what a decision needs:
// the risk, who asks and where, the command, what it does and what of that cannot be undone, and
// what the sandbox allows besides. It fits a screen of 80 columns and 24 rows, and names what it
// leaves out; the full page has everything. A plain page is for a screen reader, and for a terminal
// without UTF-8.
//
// All payload text passes through one encoder, whose output is printable and can be decoded.
// ASCII is shown as it is. Everything else is marked:
//
//	é⟦U+00E9⟧   a letter, and which one it is; only sentences of the policy show the letter alone
//	⟦U+202E⟧    anything invisible, combining, right-to-left, or not known to be harmless
//	⟦xFF⟧       a byte that is not UTF-8
//	⏎ ⇥ ␠       newline, tab; a space at the end or in a long run
//	␠⟦×300⟧     the character before, 300 times in all
//	∅           nothing here, as opposed to something by that name
//	⟪--force⟫   what a reason of the verdict points at
//	⟦[truncated, 4205 chars]⟧   characters that only the full page shows
//	⟦[folded, 38009 chars]⟧     of a text around the agent's own command
//
// Since every non-ASCII character of a payload shows with its code point, no payload can write one
// of these marks, or a line of the page; names with unusual characters are in quotes, so that their
// ends are seen. Every value of the plan is on the full page, under its JSON name if the renderer
// does not know it. The first page cuts a long command, but never where a reason points.
// Page.Truncated then forbids an approval until the full page was read to its end ([Reading]). A
// text may contain one literal that is most likely the agent's own command
// (args.inside). It is then shown first, and the text is folded to what a reason points at; the
// full page lists all of it. A folded text counts as cut, because a plan could be made so that the
// wrong part is read first.
package render
