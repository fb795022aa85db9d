import { expect, test } from 'vitest'
import { planStages } from './planned-stages.ts'

const known = (name: string, order: number) => ({ name, order, kind: 'open' as const, tone: 'gray' as const })
const described = (name: string, order: number, kind: 'open' | 'won' = 'open') => ({
  name,
  order,
  kind,
  probability: null,
  pipeline: 'default',
})

test('describes new stages with position, similar stages, and number of deals', () => {
  const here = [known('Survey', 10), known('Permit Submitted', 20)]
  const there = [
    described('Survey', 0),
    described('Plan check', 10),
    described('Permit Submited', 30),
    described('Funded', 40, 'won'),
  ]
  const deals = new Map([
    ['Survey', 3],
    ['Funded', 2],
    ['A note', 1],
  ])
  expect(planStages(here, there, deals)).toEqual([
    { name: 'Survey', deals: 3 },
    { name: 'Plan check', deals: 0, added: { likely: [], after: 'Survey' } },
    { name: 'Permit Submited', deals: 0, added: { likely: ['Permit Submitted'], after: 'Plan check' } },
    { name: 'Funded', deals: 2, added: { likely: [], after: null } },
    { name: 'A note', deals: 1, added: { likely: [] } },
  ])
})
