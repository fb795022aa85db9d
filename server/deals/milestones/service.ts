import type { KnownDeal } from '../deal.ts'

const core = new Set([
  'service',
  'services',
  'servicing',
  'repair',
  'repairs',
  'warranty',
  'maintenance',
  'om',
])
const around = new Set(
  'and call calls case cases customer field job jobs order orders pipeline post install request requests solar support ticket tickets work'.split(
    ' ',
  ),
)

/**
 * Returns whether a deal is a service ticket, for which nothing is paid: by its pipeline, such as `Service` or
 * `Warranty & Repairs`, or if that is unknown by a stage such as `Service Scheduled`. A pipeline named after
 * other work, such as `Service Upgrade`, is not for tickets.
 */
export function isServiceTicket({ pipeline, stage }: Pick<KnownDeal, 'pipeline' | 'stage'>): boolean {
  if (!pipeline) return /^\s*service (?:complete|request|schedule|ticket|call)/i.test(stage ?? '')
  const words =
    pipeline
      .slice(0, 100)
      .toLowerCase()
      .replaceAll(/o ?& ?m\b/g, 'om')
      .match(/[a-z]+/g) ?? []
  return words.some((word) => core.has(word)) && words.every((word) => core.has(word) || around.has(word))
}
