package rlimit

const prlimit64 = 261
