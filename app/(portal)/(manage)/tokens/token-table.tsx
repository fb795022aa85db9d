import { useState } from 'react'
import { Badge } from '#app/ui/badge.tsx'
import { formatCount, formatCountOf } from '#app/ui/format.ts'
import { type ListColumn, ListTable } from '#app/ui/list-table.tsx'
import { When } from '#app/ui/when.tsx'
import { useFormat } from '#app/ui/zone.tsx'
import type { TokenLine } from '#server/tokens/wire.ts'
import { stateLabels, whoUsed } from './labels.ts'
import { RotateDialog } from './rotate-dialog.tsx'
import { TokenActions } from './token-actions.tsx'
import { UsageDialog } from './usage-dialog.tsx'

const soft = 'text-ink-soft'

/** Shows tokens with their status, use and actions. Calls `onGone` when a row disappears. */
export function TokenTable({
  label,
  rows,
  nowMs,
  isOfAll,
  onGone,
}: {
  label: string
  rows: TokenLine[]
  nowMs: number
  isOfAll: boolean
  onGone?: () => void
}) {
  const [usedOf, showUsage] = useState<TokenLine | null>(null)
  const [rotated, rotate] = useState<TokenLine | null>(null)
  const columns: ListColumn<TokenLine>[] = [
    { title: 'Token', cell: (token) => <Name token={token} nowMs={nowMs} /> },
    ...(isOfAll
      ? [
          {
            title: 'Partner',
            cell: ({ partner }: TokenLine) => partner?.name ?? <span className={soft}>Internal</span>,
          },
        ]
      : []),
    { title: 'Status', cell: (token) => <State token={token} nowMs={nowMs} /> },
    {
      title: 'Last used',
      cell: ({ lastUse }) =>
        lastUse === null ? (
          <span className={soft}>Never</span>
        ) : (
          <>
            <When at={lastUse.at} nowMs={nowMs} />
            <span className={`block ${soft}`}>{whoUsed(lastUse)}</span>
          </>
        ),
    },
    { title: 'Requests', cell: (token) => <Requests token={token} /> },
    {
      title: 'Actions',
      isTitleHidden: true,
      cell: (token) => (
        <TokenActions token={token} nowMs={nowMs} onUsage={showUsage} onRotate={rotate} onGone={onGone} />
      ),
    },
  ]
  return (
    <>
      <ListTable label={label} columns={columns} rows={rows} keyOf={({ id }) => id} />
      {usedOf !== null && <UsageDialog token={usedOf} nowMs={nowMs} onClose={() => showUsage(null)} />}
      {rotated !== null && <RotateDialog token={rotated} nowMs={nowMs} onClose={() => rotate(null)} />}
    </>
  )
}

function Name({ token: { name, prefix, scopes, createdAt }, nowMs }: { token: TokenLine; nowMs: number }) {
  const { formatDay, formatInstant } = useFormat()
  const created = createdAt.toISOString()
  return (
    <>
      {name}
      <span className={`block font-mono text-xs font-normal ${soft}`}>{prefix}…</span>
      <span className={`block text-xs font-normal ${soft}`}>{scopes.join(', ')}</span>
      <span className={`block text-xs font-normal ${soft}`}>
        Created{' '}
        <time dateTime={created} title={formatInstant(created)}>
          {formatDay(created, nowMs)}
        </time>
      </span>
    </>
  )
}

function State({ token, nowMs }: { token: TokenLine; nowMs: number }) {
  const { label, tone } = stateLabels[token.state]
  return (
    <>
      <Badge tone={tone}>{label}</Badge>
      <span className={`mt-1 block text-pretty ${soft}`}>
        <End token={token} nowMs={nowMs} />
      </span>
      {token.replacedBy !== null && (
        <span className={`block ${soft}`}>
          Replaced by <span className="font-mono text-xs">{token.replacedBy}…</span>
        </span>
      )}
    </>
  )
}

/** Shows when a token expires, or when it expired or was revoked. */
function End({ token: { state, expiresAt, revokedAt }, nowMs }: { token: TokenLine; nowMs: number }) {
  const { formatDay, formatInstant, formatUntil } = useFormat()
  const at = (revokedAt ?? expiresAt)?.toISOString()
  if (at === undefined) return 'Never expires'
  const time = (text: string) => (
    <time dateTime={at} title={formatInstant(at)}>
      {text}
    </time>
  )
  if (revokedAt !== null || state === 'expired') return time(formatInstant(at))
  if (state === 'replaced') return <>Valid until {time(formatInstant(at))}</>
  return state === 'expires-soon' ? (
    <>Expires {time(formatUntil(at, nowMs))}</>
  ) : (
    <>Expires {time(formatDay(at, nowMs))}</>
  )
}

function Requests({
  token: {
    requests: { today, week, weekErrors },
  },
}: {
  token: TokenLine
}) {
  return (
    <div className="tabular-nums sm:whitespace-nowrap">
      {formatCount(today)} today
      <span className={`block ${soft}`}>{formatCount(week)} in 7 days</span>
      {weekErrors > 0 && <span className="block text-bad">{formatCountOf(weekErrors, 'error')}</span>}
    </div>
  )
}
