import { readFileSync, writeFileSync } from 'node:fs'

// Preloaded into a command: writes its peak resident memory in MB (10^6 bytes) to the file that PEAK_MEMORY_FILE names.

process.on('exit', () => {
  // maxRSS of getrusage includes the parent's peak; VmHWM does not.
  const [, kibibytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))!
  writeFileSync(process.env.PEAK_MEMORY_FILE!, String((Number(kibibytes) * 1024) / 1e6))
})
