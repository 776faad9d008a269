package script

// openNonblock is nothing: a folder holds no named pipes on Windows.
const openNonblock = 0
