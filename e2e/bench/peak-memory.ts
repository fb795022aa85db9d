import { readFileSync, writeFileSync } from 'node:fs'

// Preloaded into a command: writes the command's peak resident memory in MB (10^6 bytes) to the file named by
// PEAK_MEMORY_FILE.

process.on('exit', () => {
  // Unlike VmHWM, the maxRSS of getrusage includes the parent's peak.
  const [, kibibytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))!
  writeFileSync(process.env.PEAK_MEMORY_FILE!, String((Number(kibibytes) * 1024) / 1e6))
})
