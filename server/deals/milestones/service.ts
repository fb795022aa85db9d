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
 * Returns true if a deal is a service ticket, which is never paid. Pipelines such as `Service` or `Warranty &
 * Repairs` contain service tickets; if the pipeline is unknown, a stage such as `Service Scheduled` decides.
 * Pipelines for other work, such as `Service Upgrade`, do not count.
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
