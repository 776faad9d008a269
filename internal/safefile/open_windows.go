package safefile

// noFollow is not known to Windows.
const noFollow = 0
