'use client'

import { trpc } from '#app/trpc.ts'
import type { EndpointKind } from '#server/webhooks/delivery.ts'
import type { EndpointHealth } from '#server/webhooks/store.ts'
import { EndpointCheck } from './endpoint-check.tsx'
import { EndpointsForm } from './endpoints-form.tsx'
import { endpointLabels } from './labels.ts'

/** Shows the form for the endpoint URLs and, below it, a check of each URL that is set. */
export function Endpoints({ endpoints }: { endpoints: EndpointHealth[] }) {
  const checks = { create: useCheck('create'), update: useCheck('update') }
  const shown = distinct(endpoints)
  const isOne = endpoints.length > shown.length
  return (
    <>
      <EndpointsForm
        endpoints={endpoints}
        onSaved={(saved) => {
          for (const { kind } of distinct(saved)) checks[kind].start()
        }}
      />
      {shown.length > 0 && (
        <div className="mt-6 flex flex-col gap-3">
          {shown.map(({ kind, url }) => (
            <EndpointCheck
              key={kind}
              title={isOne ? 'URL for both' : endpointLabels[kind].label}
              url={url}
              check={checks[kind]}
            />
          ))}
        </div>
      )}
    </>
  )
}

/** Returns the endpoints without those whose URL came before. */
function distinct<T extends { url: string }>(all: T[]): T[] {
  return all.filter(({ url }, index) => all.findIndex((each) => each.url === url) === index)
}

function useCheck(kind: EndpointKind) {
  const { webhooks } = trpc.useUtils()
  const check = trpc.webhooks.examine.useMutation({
    trpc: { context: { isAlone: true } },
    // Tells the health of the endpoint too.
    onSettled: () => webhooks.status.invalidate(),
  })
  return { ...check, start: () => check.mutate({ kind }) }
}
