import { useState } from 'react'
import { failureMessage } from '#app/failure-message.ts'
import { trpc } from '#app/trpc.ts'
import { Badge } from '#app/ui/badge.tsx'
import { button } from '#app/ui/button.ts'
import { Confirm } from '#app/ui/confirm.tsx'
import { formatCount, formatCountOf, formatDay, formatInstant, formatUntil } from '#app/ui/format.ts'
import { type ListColumn, ListTable } from '#app/ui/list-table.tsx'
import { toast } from '#app/ui/toast.tsx'
import { When } from '#app/ui/when.tsx'
import type { TokenLine } from '#server/tokens/wire.ts'
import { distinctLabel, revokeText, stateLabels, whoUsed } from './labels.ts'
import { RotateDialog } from './rotate-dialog.tsx'
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
        <div className="flex flex-wrap gap-2 whitespace-nowrap sm:justify-end xl:flex-nowrap">
          <button type="button" onClick={() => showUsage(token)} className={button.plain}>
            Usage<span className="sr-only"> of {distinctLabel(token)}</span>
          </button>
          {token.state !== 'replaced' && !hasEnded(token) && (
            <button type="button" onClick={() => rotate(token)} className={button.plain}>
              Rotate<span className="sr-only"> {distinctLabel(token)}</span>
            </button>
          )}
          {!hasEnded(token) && <Revoke token={token} nowMs={nowMs} onGone={onGone} />}
        </div>
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

const hasEnded = ({ state }: TokenLine) => state === 'expired' || state === 'revoked'

function Name({ token: { name, prefix, scopes, createdAt }, nowMs }: { token: TokenLine; nowMs: number }) {
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

function Revoke({
  token,
  nowMs,
  onGone,
}: {
  token: TokenLine
  nowMs: number
  onGone: (() => void) | undefined
}) {
  const { tokens } = trpc.useUtils()
  const revoke = trpc.tokens.revoke.useMutation({
    async onSettled(_, error) {
      // A token that is not found was revoked by someone else.
      if (error !== null && error.data?.code !== 'NOT_FOUND') return void toast.error(failureMessage(error))
      await tokens.invalidate()
      toast.success(`“${token.name}” revoked.`)
      onGone?.()
    },
  })
  return (
    <Confirm
      trigger={
        // Reloaded, so that the dialog shows the latest use.
        <button
          type="button"
          aria-busy={revoke.isPending}
          onClick={() => void tokens.list.invalidate()}
          className={`${button.plain} aria-busy:opacity-70`}
        >
          Revoke<span className="sr-only"> {distinctLabel(token)}</span>
        </button>
      }
      title={`Revoke “${token.name}”?`}
      yes="Revoke token"
      no="Cancel"
      onYes={() => {
        if (!revoke.isPending) revoke.mutate({ id: token.id })
      }}
    >
      {revokeText(token, nowMs)}
    </Confirm>
  )
}
