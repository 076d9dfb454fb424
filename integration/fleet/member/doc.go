// Package member is a machine's membership in a fleet: the files that it keeps, and how it joins.
//
// # The folder
//
// ~/.tada/fleet, which no sandbox reaches:
//
//	membership.json     what the fleet and this machine are called, and where etcd is
//	ca.pem              the authority of the fleet, pinned when the machine joined
//	machine.pem, .key   its certificate, and the key that was made here and never left
//	secret              seals the machine's questions and answers in etcd, which never has it
//	cluster             the etcd cluster that has them
//	fleet               the newest fleet document that was seen
//	trust               whose answers count here, by that document: a trust list
//	freeze              while it exists nothing new starts; its first line says why
//	freezes/ID          the orders in force
//	past/SERIAL         the fleet documents by which its administrators changed
//	policies/NAME       the newest bundle of a name that is in force; NAME.shadow: that is tried
//
// What decides is checked when it is written here: the program that runs commands reads trust,
// freeze and policies, and nothing else, and needs no network.
package member
