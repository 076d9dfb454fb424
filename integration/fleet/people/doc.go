// Package people is what people do in a fleet, from any machine at which they answer: read what all
// machines ask and answer it, change the fleet document, freeze machines, set the policy, and see
// which are there.
//
// Everything that counts is signed with the person's own key (tadactl key init), on the person's
// own machine, and stored in etcd, from where the machines take it.
package people
