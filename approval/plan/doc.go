// Package plan reads the parts of a plan that the approval rules and the page need: a JSON object
// in the one spelling of package canonical, which a launcher makes and a person approves.
// Everything here is a function of its bytes.
//
// It reads:
//
//	work_item_id  text
//	agent_name    text
//	risk          0 to 3; anything else counts as 3
//	tool_calls    a list, not empty, of objects, each with a different tool_call_id
//	trust         "human", "agent" or "quarantined"; anything else counts as the last: see [Level]
//	lasting       what a person may allow for longer than once: see [Choice]
//	reasons       a list of objects; the rules of those that do not allow are in the events
//
// All other members are the launcher's: the command, the resolved files, the environment, the
// policy. They are hashed and shown, known or not, and no decision depends on them.
package plan
