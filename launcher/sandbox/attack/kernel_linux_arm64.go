package attack

// archAttacks is empty: a 32-bit program comes with the word of its architecture, and there is no
// gate to it from 64-bit code.
var archAttacks []Attack
