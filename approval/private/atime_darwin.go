package private

// noAtime is nothing: macOS has no such way to open a file.
const noAtime = 0
