import { readFileSync, writeFileSync } from 'node:fs'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

// Preloaded into programs of the product. On SIGUSR2, collects garbage. On exit, writes the peak resident
// memory in kB to the file named by PEAK_MEMORY_FILE.

setFlagsFromString('--expose-gc')
process.on('SIGUSR2', runInNewContext('gc') as () => void)
process.on('exit', () => {
  // Unlike VmHWM, the maxRSS of getrusage includes the parent's peak.
  const [, kibibytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))!
  if (process.env.PEAK_MEMORY_FILE) writeFileSync(process.env.PEAK_MEMORY_FILE, kibibytes!)
})
