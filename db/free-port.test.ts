import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { freePort } from './free-port.ts'

test('no outgoing connection of this machine is given the port', async () => {
  // Linux says where they are, elsewhere they begin at 49152 (RFC 6335, section 6).
  const range = await readFile('/proc/sys/net/ipv4/ip_local_port_range', 'utf8').catch(() => '49152 65535')
  const [lowest, highest] = range.trim().split(/\s+/).map(Number)
  const port = await freePort()
  expect(port < lowest! || port > highest!).toBe(true)
})

test('nobody is given a port twice, here or in processes that start together', async () => {
  const given = async () => {
    const code = `import { freePort } from '#db/free-port.ts'; console.log(await freePort(), await freePort())`
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', code])
    return stdout.trim().split(' ').map(Number)
  }
  const here = [await freePort(), await freePort()]
  const ports = [...here, ...(await Promise.all(Array.from({ length: 4 }, given))).flat()]
  expect(ports.every(Number.isSafeInteger)).toBe(true)
  expect(new Set(ports).size).toBe(10)
})
