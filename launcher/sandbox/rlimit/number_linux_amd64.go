package rlimit

const prlimit64 = 302
