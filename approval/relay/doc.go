// Package relay is the [approval.DB] of a machine that has joined a fleet: it asks the fleet's
// agent, a process of the same account that holds the database, over a Unix socket.
//
// Each transaction has a connection of its own and one moment of the database. Reads go to the
// agent, each at most once. Changes are kept here, where later reads see them, and are sent
// together at the end, so a process that dies in the middle has changed nothing. If the agent
// answers that another transaction came first, the function of the rules runs again.
//
// A commit has a random ticket. If the connection ends before the answer to a commit, the client
// asks for the fate of the ticket on a new connection. The agent stores the newest tickets with
// what they changed, so its answer is right although it was killed itself. A ticket that was asked
// for and has not happened never will. If there is no answer, the error is [approval.ErrUnsure]:
// what was asked for may have been used, and is not used here.
//
// If the agent is not there, does not answer, or says that it has no connection itself, the error
// is [approval.ErrOffline].
//
// The socket and its folder must belong to this account, and so must the process behind it, as the
// kernel says. No sandbox shows the folder.
//
// Package served is the agent's side, and package wire what is sent.
package relay
