// Package registrar lets machines into a fleet. It is a small HTTPS server beside etcd, run by
// whoever runs etcd; nothing but joining, and renewing certificates, goes through it.
//
// # The folder
//
// [Create] makes a folder. It is the only secret of a fleet that cannot be replaced: keep a copy
// offline.
//
//	ca.pem, ca.key          the authority that signs all certificates of the fleet
//	server.pem, server.key  for etcd, and for the registrar itself
//	root.pem, root.key      the registrar's own access to etcd (user root)
//	registrar.key           signs the records of machines
//	registrar.next.key      the key that will, once the fleet document says so
//	fleet                   the first fleet document
//	fleet.newest            the newest one that it has seen
//	orders                  the freezes, their ends and the bundles that it has seen
//
// All keys are Ed25519. etcd is started with --client-cert-auth and ca.pem as --trusted-ca-file;
// [Registrar.Prepare] creates its user root and turns its access control on.
//
// # Joining
//
// An administrator makes an [Invitation]: a link whose fragment is a one-time secret and the hash
// of ca.pem, valid for an hour. The machine makes a key, connects to the registrar, requires its
// certificate to be of that authority, and sends the secret with a certificate request:
//
//	POST /v1/join   {"csr":PEM,"id":"tada-...","name":"laptop","secret":"..."}
//	POST /v1/renew  {"csr":PEM}       over a connection with the machine's certificate
//	GET  /v1/fleet?since=SERIAL       likewise
//
//	200             {"ca":PEM,"cert":PEM,"endpoints":[...],"fleet":NOTE,"machine":NOTE}
//	200             {"documents":[NOTE,...]} of /v1/fleet: what leads to the newest one
//	403             the secret is wrong, used or too old; or the machine was revoked
//	409             the machine, or its key, is a member already
//
// One etcd transaction takes the invitation and stores the machine, so a secret that is sent twice
// lets one machine in. In etcd the machine becomes a user, named as its certificate is, with a role
// for its own keys alone (package keyspace).
//
// The user of a machine that is revoked is removed, often before the machine could read why. Such a
// machine asks for the documents here, and ends when they say so.
//
// # What is written over the fleet document
//
// Every machine at which people answer can write there. The registrar keeps the newest document
// that it has seen, and puts it back, where that loses nothing that an administrator may have
// stored meanwhile: see [history.Way.Lost]. Otherwise it says so, and a person decides.
//
// It also keeps the orders that it has seen: a machine that joins gets the newest of these and of
// what etcd has, so that an older bundle that was put back there, or a freeze that was deleted,
// misleads none.
//
// # Another key, another address
//
// [Folder.NextKey] makes a key that is to replace the registrar's own. When administrators have put
// it into the fleet document, the registrar signs the records of all members again, and goes on
// with it. [Folder.Renew] issues the certificates of the servers again, also for other hosts. Where
// machines reach them is in the fleet document too. The authority cannot be replaced.
//
// # What whoever holds this can do
//
// The registrar can let in machines with any labels, and so receive the answers meant for such
// machines. It cannot answer a question, freeze, thaw, or change the fleet document.
package registrar
