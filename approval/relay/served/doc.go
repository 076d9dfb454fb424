// Package served is the agent's side of package relay: it lets other processes of the account use
// an approval database that this process holds, over a Unix socket.
//
// Each client has a goroutine, and each of its transactions is one of the database behind. A client
// that goes away before it has sent its commit has changed nothing. One that keeps a transaction
// open for longer than ten seconds is dropped, because others may have to wait for it.
//
// With each commit the newest tickets are stored, in the same transaction (tickets.go). That is how
// a client whose connection ended learns whether its commit happened, also from the next agent.
//
// What a client may do is what any process of the account may do with a database in a file: the
// rules of package approval run in the clients. A client cannot, however, make the server panic or
// use memory without limit, and only processes of the same account are served.
package served
