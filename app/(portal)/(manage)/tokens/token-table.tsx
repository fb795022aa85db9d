import { ChartColumn, CircleX, RefreshCw } from 'lucide-react'
import { useState } from 'react'
import { trpc } from '#app/trpc.ts'
import { Badge } from '#app/ui/badge.tsx'
import { Button } from '#app/ui/button.tsx'
import { ConfirmDialog } from '#app/ui/confirm.tsx'
import { Dialog, DialogForm } from '#app/ui/dialog.tsx'
import { failureMessage, refusalMessage } from '#app/ui/failure-message.ts'
import { SelectField } from '#app/ui/fields.tsx'
import { formatCount, formatCountOf } from '#app/ui/format.ts'
import { type ListColumns, ListTable } from '#app/ui/list.tsx'
import { MenuItem, MenuLine, RowMenu } from '#app/ui/menu.tsx'
import { When, useFormat } from '#app/ui/times.tsx'
import { toastFailure } from '#app/ui/toast-failure.ts'
import { toast } from '#app/ui/toast.tsx'
import { usageDays } from '#server/tokens/policy.ts'
import { type TokenDay, type TokenLine, graces } from '#server/tokens/wire.ts'
import { NewTokenDialog } from './create-dialog.tsx'
import { distinctLabel, graceLabels, revokeText, stateLabels, whoUsed } from './labels.ts'

const soft = 'text-ink-soft'

/** Shows tokens with their status, last use and actions. Calls `onGone` when a row disappears. */
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
  const columns: ListColumns<TokenLine> = [
    { title: 'Token', cell: (token) => <Name token={token} nowMs={nowMs} /> },
    isOfAll && {
      title: 'Partner',
      cell: ({ partner }) => partner?.name ?? <span className={soft}>Internal</span>,
    },
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
      cell: (token) =>
        token.state === 'expired' || token.state === 'revoked' ? (
          <div className="flex sm:justify-end">
            <Button onClick={() => showUsage(token)} about={`of ${distinctLabel(token)}`}>
              Usage
            </Button>
          </div>
        ) : (
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

interface TokenAt {
  token: TokenLine
  nowMs: number
}

function Name({ token: { name, prefix, scopes, isSheet, createdAt }, nowMs }: TokenAt) {
  const { formatDay, formatInstant } = useFormat()
  const created = createdAt.toISOString()
  return (
    <>
      {name}
      <span className={`block font-mono text-xs font-normal ${soft}`}>{prefix}…</span>
      <span className={`block text-xs font-normal ${soft}`}>
        {isSheet ? 'Sheet link' : scopes.join(', ')}
      </span>
      <span className={`block text-xs font-normal ${soft}`}>
        Created{' '}
        <time dateTime={created} title={formatInstant(created)}>
          {formatDay(created, nowMs)}
        </time>
      </span>
    </>
  )
}

function State({ token, nowMs }: TokenAt) {
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

/** Shows when a token expires, expired or was revoked. */
function End({ token: { state, expiresAt, revokedAt }, nowMs }: TokenAt) {
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

function Requests({ token: { requests } }: Pick<TokenAt, 'token'>) {
  const { today, week, weekErrors } = requests
  return (
    <div className="tabular-nums sm:whitespace-nowrap">
      {formatCount(today)} today
      <span className={`block ${soft}`}>{formatCount(week)} in 7 days</span>
      {weekErrors > 0 && <span className="block text-bad">{formatCountOf(weekErrors, 'error')}</span>}
    </div>
  )
}

/** Returns a mutation that revokes the token. Calls `onGone` when the token's row disappears. */
function useRevoke({ name }: TokenLine, onGone: (() => void) | undefined) {
  const { tokens } = trpc.useUtils()
  return trpc.tokens.revoke.useMutation({
    async onSettled(_, error) {
      // If the token is not found, someone else has already revoked it.
      if (error !== null && error.data?.code !== 'NOT_FOUND') return toastFailure(error)
      await tokens.invalidate()
      toast.success(`“${name}” revoked.`)
      onGone?.()
    },
  })
}

/** Shows the menu of an active token. Calls `onGone` when its row disappears. */
function TokenActions({
  token,
  nowMs,
  onUsage,
  onRotate,
  onGone,
}: TokenAt & {
  onUsage: (token: TokenLine) => void
  onRotate: (token: TokenLine) => void
  onGone: (() => void) | undefined
}) {
  const format = useFormat()
  const { tokens } = trpc.useUtils()
  const [isAsked, setAsked] = useState(false)
  const revoke = useRevoke(token, onGone)
  const name = distinctLabel(token)
  return (
    <>
      <RowMenu about={name} busy={revoke.isPending}>
        <MenuItem icon={ChartColumn} about={`of ${name}`} onSelect={() => onUsage(token)}>
          Usage
        </MenuItem>
        {token.state !== 'replaced' && (
          <MenuItem icon={RefreshCw} about={name} onSelect={() => onRotate(token)}>
            Rotate
          </MenuItem>
        )}
        <MenuLine />
        <MenuItem
          icon={CircleX}
          about={name}
          isDestructive
          onSelect={() => {
            // The dialog shows the latest use of the token.
            void tokens.list.invalidate()
            setAsked(true)
          }}
        >
          Revoke
        </MenuItem>
      </RowMenu>
      {isAsked && (
        <ConfirmDialog
          title={`Revoke “${token.name}”?`}
          yes="Revoke token"
          isDestructive
          onYes={() => revoke.mutate({ id: token.id })}
          onClose={() => setAsked(false)}
        >
          {revokeText(token, nowMs, format)}
        </ConfirmDialog>
      )}
    </>
  )
}

const choices = graces.map((grace) => ({ value: grace, label: graceLabels[grace] }))

/** Replaces a token and shows the new one once. */
function RotateDialog({ token, nowMs, onClose }: TokenAt & { onClose: () => void }) {
  const { id, name, prefix, isSheet, lastUse } = token
  const { formatAgo } = useFormat()
  const { tokens } = trpc.useUtils()
  const [grace, setGrace] = useState<(typeof graces)[number]>('24h')
  const onSuccess = () => tokens.invalidate()
  const ofToken = trpc.tokens.rotate.useMutation({ onSuccess })
  const ofSheet = trpc.sheets.rotate.useMutation({ onSuccess })
  const rotate = isSheet ? ofSheet : ofToken
  const what = isSheet ? 'sheet link' : 'token'
  return (
    <NewTokenDialog
      title={`Rotate “${name}”`}
      titleOnceMade={isSheet ? 'Sheet link rotated' : 'Token rotated'}
      made={rotate.data}
      onClose={onClose}
    >
      <DialogForm
        onSubmit={() => rotate.mutate({ id, grace })}
        problem={rotate.error && problemOf(rotate.error)}
        busy={rotate.isPending}
        submit={`Rotate ${what}`}
        onCancel={onClose}
      >
        <p className="text-pretty">
          A new {what} with the same name, {isSheet ? 'view' : 'scopes'} and validity replaces{' '}
          <span className="font-mono text-xs">{prefix}…</span>. Both work until the old one expires, so you
          can switch without downtime.
          {lastUse !== null &&
            ` The old one was last used ${formatAgo(lastUse.at, nowMs)} ${whoUsed(lastUse)}`.trimEnd() + '.'}
        </p>
        <SelectField
          label={`Old ${what} expires`}
          choices={choices}
          value={grace}
          onChange={({ target: { value } }) => setGrace(graces.find((each) => each === value)!)}
        />
      </DialogForm>
    </NewTokenDialog>
  )
}

function problemOf(error: Parameters<typeof refusalMessage>[0]): string {
  return error.data?.code === 'NOT_FOUND' ? 'This token no longer exists.' : refusalMessage(error)
}

/** Shows the daily requests of a token. */
function UsageDialog({ token: { id, name, prefix }, nowMs, onClose }: TokenAt & { onClose: () => void }) {
  const { formatDay } = useFormat()
  const { data: days, error } = trpc.tokens.days.useQuery({ id }, { staleTime: 0 })
  return (
    <Dialog title={`Usage of “${name}”`} onClose={onClose}>
      <p className="mb-3 text-pretty text-ink-soft">
        Requests with <span className="font-mono text-xs">{prefix}…</span> in the last {usageDays} days, by
        day (UTC). Errors are responses with status 400 or higher. Today&apos;s figures may lag by a few
        seconds.
      </p>
      {days === undefined ? (
        <p role="status" className="text-ink-soft">
          {error === null ? 'Loading…' : failureMessage(error)}
        </p>
      ) : (
        <div role="region" aria-label="Usage" tabIndex={0} className="-mx-6 min-h-0 overflow-y-auto px-6">
          <p className="mb-3 font-medium">
            {formatCountOf(sumOf(days, 'requests'), 'request')} ·{' '}
            {formatCountOf(sumOf(days, 'errors'), 'error')}
          </p>
          <ListTable
            label="Usage by day"
            columns={[
              { title: 'Day', cell: ({ day }) => formatDay(`${day}T00:00:00Z`, nowMs) },
              { title: 'Requests', isNumber: true, cell: ({ requests }) => formatCount(requests) },
              { title: 'Errors', isNumber: true, cell: ({ errors }) => formatCount(errors) },
            ]}
            rows={days.toReversed()}
            keyOf={({ day }) => day}
          />
        </div>
      )}
    </Dialog>
  )
}

const sumOf = (days: TokenDay[], name: 'requests' | 'errors') => days.reduce((sum, day) => sum + day[name], 0)
