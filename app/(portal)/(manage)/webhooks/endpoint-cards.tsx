'use client'

import { useRef } from 'react'
import type { EndpointHealth } from '#server/webhooks/store.ts'
import { EndpointCard } from './endpoint-card.tsx'
import { kinds } from './labels.ts'
import { SwitchOn } from './switch-on.tsx'

/** Shows the status of both endpoints, with a button that switches one back on. */
export function EndpointCards({ endpoints, nowMs }: { endpoints: EndpointHealth[]; nowMs: number }) {
  const cards = useRef<HTMLDivElement>(null)
  return (
    <div
      ref={cards}
      tabIndex={-1}
      role="group"
      aria-label="Endpoint status"
      className="mb-6 grid gap-4 rounded-xl outline-offset-4 md:grid-cols-2"
    >
      {kinds.map((kind) => {
        const endpoint = endpoints.find((each) => each.kind === kind)
        const isOff =
          endpoint !== undefined &&
          endpoint.switchedOffBecause !== null &&
          endpoint.switchedOffBecause !== 'suspended'
        return (
          <EndpointCard key={kind} kind={kind} endpoint={endpoint} nowMs={nowMs}>
            {isOff && <SwitchOn kind={kind} onDone={() => cards.current?.focus()} />}
          </EndpointCard>
        )
      })}
    </div>
  )
}
