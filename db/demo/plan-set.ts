import { literal, onePage } from '#db/demo/pdf.ts'
import type { Deal } from '#server/deals/deal.ts'

const width = 792
const height = 612
const roof = { left: 80, bottom: 110, width: 470, height: 360 }
const moduleSize = { width: 34, height: 56, gap: 4 }
const perRow = 11
const modulesMax = 5 * perRow

/** Returns the roof plan of a deal: one sheet of US Letter, landscape, with its number of modules. */
export function planSetPdf(deal: Deal): Buffer {
  const count = Math.min(Number(deal.numberOfModules) || perRow, modulesMax)
  const content = [
    '1 w 0.2 0.2 0.2 RG 0.96 0.96 0.94 rg',
    `${roof.left} ${roof.bottom} ${roof.width} ${roof.height} re B`,
    // The ridge, and the setbacks required by fire codes.
    `${roof.left} ${roof.bottom + roof.height} m ${roof.left + roof.width} ${roof.bottom + roof.height} l S`,
    `[4 3] 0 d ${roof.left + 18} ${roof.bottom + 18} ${roof.width - 36} ${roof.height - 36} re S [] 0 d`,
    '0.13 0.2 0.36 rg 0.8 0.85 0.95 RG',
    ...Array.from({ length: count }, (_, index) => moduleAt(index)),
    '0 g',
    ...titleBlock(deal, count),
  ].join('\n')
  const title = `Plan set ${deal.id}`
  return onePage(content, { width, height, title, createDate: deal.engineeringCompleted ?? deal.createDate })
}

function moduleAt(index: number): string {
  const [row, column] = [Math.floor(index / perRow), index % perRow]
  const x = roof.left + 24 + column * (moduleSize.width + moduleSize.gap)
  const y = roof.bottom + roof.height - 24 - (row + 1) * (moduleSize.height + moduleSize.gap)
  return `${x} ${y} ${moduleSize.width} ${moduleSize.height} re B`
}

function titleBlock(deal: Deal, count: number): string[] {
  const place = [deal.streetAddress, deal.city, deal.state, deal.zipCode].filter(Boolean).join(', ')
  const facts = [
    ['Homeowner', [deal.firstName, deal.lastName].filter(Boolean).join(' ')],
    ['Project', String(deal.id)],
    ['System', deal.systemSize === null ? '' : `${deal.systemSize} kW DC`],
    ['Modules', `${count}`],
    ['Module type', deal.moduleType ?? ''],
    ['Inverter', deal.inverterType ?? ''],
    ['Roof', deal.roofType ?? ''],
    ['Utility', deal.utilityName ?? ''],
  ] as const
  const text = (font: string, size: number, x: number, y: number, words: string) =>
    `BT /${font} ${size} Tf ${x} ${y} Td ${literal(words)} Tj ET`
  return [
    text('Bold', 16, roof.left, 540, 'PV-1  Roof plan'),
    text('Regular', 10, roof.left, 520, place),
    ...facts.flatMap(([name, value], index) => [
      text('Bold', 8, 580, 450 - index * 38, name),
      text('Regular', 10, 580, 436 - index * 38, value || '–'),
    ]),
    text('Regular', 8, roof.left, 60, 'Demonstration data: not for construction. Not to scale.'),
  ]
}
