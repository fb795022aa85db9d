import { spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { freePort } from './free-port.ts'

test('the port is outside the range for outgoing connections', async () => {
  // Linux publishes the range of outgoing ports. On other systems, the range begins at 49152 (RFC 6335,
  // section 6).
  const range = await readFile('/proc/sys/net/ipv4/ip_local_port_range', 'utf8').catch(() => '49152 65535')
  const [lowest, highest] = range.trim().split(/\s+/).map(Number)
  const port = await freePort()
  expect(port < lowest! || port > highest!).toBe(true)
})

test('never reserves a port twice, within a process or across concurrent ones', async () => {
  const perProcess = 60
  const portsOfProcess = async () => {
    const code = `
      import { freePort } from '#db/free-port.ts'
      for (let taken = 0; taken < ${perProcess}; taken++) console.log(await freePort())
      await new Promise((resolve) => process.stdin.resume().once('end', resolve))`
    const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    let text = ''
    for await (const chunk of child.stdout) {
      text += String(chunk)
      if (text.match(/\n/g)?.length === perProcess) break
    }
    return { child, ports: text.trim().split('\n').map(Number) }
  }
  const here = [await freePort(), await freePort()]
  const others = await Promise.all(Array.from({ length: 4 }, portsOfProcess))
  for (const { child } of others) child.stdin.end()
  const ports = [...here, ...others.flatMap((other) => other.ports)]
  expect(ports.every(Number.isSafeInteger)).toBe(true)
  expect(new Set(ports).size).toBe(2 + 4 * perProcess)
})
