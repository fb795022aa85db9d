import { crc32, deflateSync } from 'node:zlib'
import { Random, seedOf } from '#db/demo/random.ts'
import type { Deal } from '#server/deals/deal.ts'

const [width, height] = [480, 320]
const [eaves, ridge] = [190, 90]

type Color = readonly [red: number, green: number, blue: number]

const roofs: readonly Color[] = [
  [120, 82, 66],
  [96, 98, 104],
  [150, 94, 70],
]

/**
 * Returns a drawn photo of the deal's house as PNG, with or without modules on its roof; the same deal yields
 * the same bytes.
 */
export function housePhoto(deal: Deal, isInstalled: boolean): Buffer {
  const random = new Random(seedOf(String(deal.id)))
  const roof = random.pick(roofs)
  const modules = isInstalled ? Math.min(Number(deal.numberOfModules) || 12, 24) : 0
  const rows = Buffer.alloc((width * 3 + 1) * height)
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const grain = 3 * random.int(-1, 1)
      const color = colorAt(x, y, roof, modules).map((value) => Math.max(0, Math.min(255, value + grain)))
      rows.set(color, y * (width * 3 + 1) + 1 + x * 3)
    }
  return png(rows)
}

function colorAt(x: number, y: number, roof: Color, modules: number): Color {
  if (y > 270) return [104, 138, 72]
  const slope = (eaves - y) / (eaves - ridge)
  const [from, to] = [70 + slope * 40, 410 - slope * 40]
  if (y >= ridge && y < eaves && x > from && x < to)
    return isModule((x - from) / (to - from), slope, modules) ? [28, 42, 84] : roof
  if (y >= eaves && x > 90 && x < 390) return x > 225 && x < 262 && y > 208 ? [98, 66, 48] : [222, 208, 184]
  return [150 + y / 4, 190 + y / 6, 235]
}

const modulesPerRow = 8

/** Returns whether a point of the roof (0 to 1 each way) is on one of `count` modules. */
function isModule(across: number, up: number, count: number): boolean {
  const [x, y] = [(across - 0.1) / 0.8, (up - 0.1) / 0.8]
  if (x < 0 || x >= 1 || y < 0 || y >= 1) return false
  const [column, row] = [Math.floor(x * modulesPerRow), Math.floor((1 - y) * 3)]
  const isGap = (x * modulesPerRow) % 1 < 0.06 || ((1 - y) * 3) % 1 < 0.08
  return !isGap && row * modulesPerRow + column < count
}

/** Returns pixel rows, each preceded by a filter byte, as PNG (RFC 2083). */
function png(rows: Buffer): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  // Eight bits a channel, three channels.
  header.set([8, 2, 0, 0, 0], 8)
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    // The usual level takes three times as long for a file that is 4% smaller.
    chunk('IDAT', deflateSync(rows, { level: 4 })),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function chunk(name: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(name, 'latin1'), data])
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  check.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, check])
}
