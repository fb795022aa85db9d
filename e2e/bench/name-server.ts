import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** The suffix of names that this name server never resolves. */
export const silentZone = 'silent.test'

/** On loopback, away from the machine's own name server. The C library only queries port 53. */
const address = '127.0.0.54'
const port = 53

/** How long a resolver in front of silent name servers takes to give up; less than a client's timeout. */
const giveUpMs = 900

const answerCodes = { failed: 2, unknown: 3 }

/**
 * Starts a name server that never responds for names in `silentZone` and knows no others (names in the hosts
 * file are not queried). Returns a function that wraps a shell command, which must `exec`, to use only this
 * server.
 * @throws Error if the machine does not allow it: it takes root on Linux
 */
export async function startNameServer(
  stack: AsyncDisposableStack,
  directory: string,
): Promise<(line: string) => string> {
  if (process.platform !== 'linux' || process.getuid?.() !== 0)
    throw new Error('Only root on Linux can give a process a name server of its own')
  const socket = createSocket('udp4')
  socket.on('message', (question, { address: host, port: from }) => {
    const isSilent = nameIn(question).endsWith(silentZone)
    void sleep(isSilent ? giveUpMs : 0, undefined, { ref: false }).then(() => {
      if (!stack.disposed)
        socket.send(answerTo(question, isSilent ? answerCodes.failed : answerCodes.unknown), from, host)
    })
  })
  socket.bind(port, address)
  await once(socket, 'listening')
  stack.defer(() => void socket.close())
  const settings = join(directory, 'resolv.conf')
  await writeFile(settings, `nameserver ${address}\n`)
  return (line) => `exec unshare --mount sh -c 'mount --bind ${settings} /etc/resolv.conf && ${line} "$@"' sh`
}

// RFC 1035, section 4: a header of 12 bytes, then the name in labels, a byte of length before each, the type and the class.
const headerBytes = 12

function nameIn(question: Buffer): string {
  const labels: string[] = []
  for (let at = headerBytes; question[at]! > 0; at += question[at]! + 1)
    labels.push(question.toString('latin1', at + 1, at + 1 + question[at]!))
  return labels.join('.').toLowerCase()
}

/** Returns a response without records: the question with the flags of a recursive response, and a code. */
function answerTo(question: Buffer, code: number): Buffer {
  const end = question.indexOf(0, headerBytes) + 5
  const answer = Buffer.from(question.subarray(0, end))
  answer.writeUInt16BE(0x8180 | code, 2)
  // One question, and no records of any kind.
  answer.writeUInt16BE(1, 4)
  answer.fill(0, 6, headerBytes)
  return answer
}
