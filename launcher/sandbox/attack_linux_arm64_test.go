package sandbox

var archAttacks []attack
