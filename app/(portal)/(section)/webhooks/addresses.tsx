'use client'

import { trpc } from '#app/trpc.ts'
import type { EndpointKind } from '#server/webhooks/delivery.ts'
import type { EndpointHealth } from '#server/webhooks/store.ts'
import { EndpointsForm } from './addresses-form.tsx'
import { Examination } from './examination.tsx'
import { endpointLabels } from './labels.ts'

/** The form for the addresses, and below it what is good about those that are set and what is not. */
export function Addresses({ endpoints }: { endpoints: EndpointHealth[] }) {
  const examinations = { create: useExamination('create'), update: useExamination('update') }
  const shown = distinct(endpoints)
  const isOne = endpoints.length > shown.length
  return (
    <>
      <EndpointsForm
        endpoints={endpoints}
        onSaved={(saved) => {
          for (const { kind } of distinct(saved)) examinations[kind].start()
        }}
      />
      {shown.length > 0 && (
        <div className="mt-6 flex flex-col gap-3">
          {shown.map(({ kind, url }) => (
            <Examination
              key={kind}
              title={isOne ? 'Address of both' : endpointLabels[kind].label}
              url={url}
              examination={examinations[kind]}
            />
          ))}
        </div>
      )}
    </>
  )
}

/** Of two that are the same, the first. */
function distinct<T extends { url: string }>(all: T[]): T[] {
  return all.filter(({ url }, index) => all.findIndex((each) => each.url === url) === index)
}

function useExamination(kind: EndpointKind) {
  const examination = trpc.webhooks.examine.useMutation({ trpc: { context: { isAlone: true } } })
  return { ...examination, start: () => examination.mutate({ kind }) }
}
