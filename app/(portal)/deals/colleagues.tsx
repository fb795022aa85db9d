'use client'

import { Command } from 'cmdk'
import { Check } from 'lucide-react'
import { trpc } from '#app/trpc.ts'
import { formatCountOf } from '#app/ui/format.ts'
import { SectionFailure } from '#app/ui/states.tsx'
import { toastFailure } from '#app/ui/toast-failure.ts'
import { toast } from '#app/ui/toast.tsx'

/** Lists the team members to whom deals can be assigned. */
export function Colleagues({
  ids,
  current,
  onDone,
}: {
  ids: string[]
  current: number | null | undefined
  onDone: () => void
}) {
  const { data: team, error, refetch } = trpc.deals.colleagues.useQuery()
  const assign = useAssign()
  if (error !== null) return <SectionFailure error={error} retry={refetch} className="w-72 p-4" />
  const choices = [
    ...(team ?? []).map(({ id, name, email, isMe }) => ({
      userId: id,
      name: isMe ? `${name} (you)` : name,
      toastName: isMe ? 'you' : name,
      hint: email,
    })),
    { userId: null, name: 'Nobody', toastName: '', hint: '' },
  ]
  return (
    <Command label="Assign to" loop className="flex min-h-0 w-72 max-w-full flex-col">
      <Command.Input
        autoFocus
        placeholder="Assign to…"
        className="h-11 border-b border-line bg-transparent px-4 text-base outline-none placeholder:text-ink-soft sm:text-sm"
      />
      <Command.List label="Team" className="max-h-80 overflow-y-auto p-1.5">
        <Command.Empty className="px-2.5 py-2 text-ink-soft">No results.</Command.Empty>
        {team !== undefined &&
          choices.map(({ userId, name, toastName, hint }) => (
            <Command.Item
              key={userId ?? 0}
              value={`${name} ${hint}`}
              aria-checked={userId === current}
              onSelect={() => {
                onDone()
                assign(ids, userId, toastName)
              }}
              className="flex min-h-9 cursor-pointer items-center gap-2.5 rounded-lg px-2.5 py-1 data-[selected=true]:bg-sunken"
            >
              <span className="min-w-0 flex-1">
                <span className="block truncate">{name}</span>
                {hint !== '' && <span className="block truncate text-xs text-ink-soft">{hint}</span>}
              </span>
              {userId === current && <Check aria-hidden="true" className="size-4 shrink-0 text-accent" />}
            </Command.Item>
          ))}
      </Command.List>
    </Command>
  )
}

function useAssign() {
  const { mutateAsync } = trpc.deals.assign.useMutation()
  const { deals } = trpc.useUtils()
  const refresh = () =>
    Promise.all([deals.find.invalidate(), deals.assignee.invalidate(), deals.count.invalidate()])
  return (ids: string[], userId: number | null, name: string) =>
    void mutateAsync([{ ids, userId }])
      .then(async (before) => {
        const count = before.reduce((sum, each) => sum + each.ids.length, 0)
        const what = count === 1 ? 'Deal' : formatCountOf(count, 'deal')
        toast.success(userId === null ? `${what} unassigned.` : `${what} assigned to ${name}.`, {
          action: { label: 'Undo', onClick: () => void mutateAsync(before).then(refresh, toastFailure) },
        })
        await refresh()
      })
      .catch(toastFailure)
}
