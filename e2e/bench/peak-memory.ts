import { readFileSync, writeFileSync } from 'node:fs'

// Preloaded into a command: writes its peak resident memory in MB (10^6 bytes) to the file that PEAK_MEMORY_FILE names.

process.on('exit', () => writeFileSync(process.env.PEAK_MEMORY_FILE!, String((peakKibibytes() * 1024) / 1e6)))

/** Linux's maxRSS begins with what the parent had; VmHWM is the program's own. */
function peakKibibytes(): number {
  try {
    return Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))![1])
  } catch {
    return process.resourceUsage().maxRSS
  }
}
