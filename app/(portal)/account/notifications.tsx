'use client'

import type { inferRouterOutputs } from '@trpc/server'
import { useEffect, useRef, useState } from 'react'
import { failureMessage } from '#app/failure-message.ts'
import { trpc } from '#app/trpc.ts'
import { Badge } from '#app/ui/badge.tsx'
import { Button, SubmitButton } from '#app/ui/button.tsx'
import { FormProblem, SelectField } from '#app/ui/fields.tsx'
import { formatCountOf } from '#app/ui/format.ts'
import { Panel } from '#app/ui/page-head.tsx'
import { placeOf, useFormat, useZone } from '#app/ui/times.tsx'
import { toastFailure } from '#app/ui/toast-failure.ts'
import { toast } from '#app/ui/toast.tsx'
import type { Api } from '#server/api.ts'
import type { NotificationKind } from '#server/notifications/notification.ts'
import type { Schedule } from '#server/notifications/when.ts'
import { MailRejected } from '../mail-rejected.tsx'

type Settings = inferRouterOutputs<Api>['notifications']['settings']

const kindLabels: Record<NotificationKind, string> = {
  stage: 'Stage changes, and deals entering or leaving a view you follow',
  dates: 'Dates: set, changed, or tomorrow',
  late: 'Late, or no longer late',
  items: 'Outstanding items changed',
  files: 'File added',
  messages: 'Answers, mentions and assignments',
}

const scheduleLabels: Record<Schedule, string> = {
  'at-once': 'Right away',
  daily: 'Once a day',
  monday: 'Monday morning',
}

/** Lets the user choose their notifications, when and how they are sent, and which deals are theirs. */
export function Notifications() {
  const { data } = trpc.notifications.settings.useQuery()
  return (
    <>
      <MailRejected />
      {data !== undefined && <SettingsForm settings={data} />}
      <OwnDeals />
    </>
  )
}

function SettingsForm({ settings: { hasMail, ...saved } }: { settings: Settings }) {
  const [chosen, choose] = useState(saved)
  const change = (part: Partial<typeof saved>) => choose({ ...chosen, ...part })
  const { notifications } = trpc.useUtils()
  const save = trpc.notifications.setSettings.useMutation({
    async onSuccess() {
      toast.success('Notification settings saved.')
      await notifications.settings.invalidate()
    },
  })
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (!save.isPending) save.mutate(chosen)
      }}
      className="flex max-w-md flex-col gap-5"
    >
      <FormProblem problem={save.error && failureMessage(save.error)} />
      <fieldset className="grid gap-2.5 pointer-coarse:gap-0">
        <legend className="mb-2.5 font-medium">Of deals that you follow</legend>
        {(Object.keys(kindLabels) as NotificationKind[]).map((kind) => (
          <Switch key={kind} isOn={chosen[kind]} set={(isOn) => change({ [kind]: isOn })}>
            {kindLabels[kind]}
          </Switch>
        ))}
      </fieldset>
      {hasMail && (
        <fieldset className="grid gap-2.5 pointer-coarse:gap-0">
          <legend className="mb-2.5 font-medium">By e-mail</legend>
          <Switch isOn={chosen.byMail} set={(byMail) => change({ byMail })}>
            Send notifications by e-mail
          </Switch>
        </fieldset>
      )}
      <ScheduleFields chosen={chosen} change={change} />
      <SubmitButton busy={save.isPending} className="self-start">
        Save notifications
      </SubmitButton>
    </form>
  )
}

type Chosen = Omit<Settings, 'hasMail'>

function ScheduleFields({ chosen, change }: { chosen: Chosen; change: (part: Partial<Chosen>) => void }) {
  const zone = useZone()
  return (
    <>
      <SelectField
        label="When to send them"
        choices={Object.entries(scheduleLabels).map(([value, label]) => ({ value, label }))}
        value={chosen.schedule}
        onChange={({ target }) => change({ schedule: target.value as Schedule })}
      />
      {chosen.schedule === 'at-once' && (
        <Switch isOn={chosen.atNight} set={(atNight) => change({ atNight })}>
          Also between 9 PM and 7 AM
        </Switch>
      )}
      {chosen.schedule === 'daily' && (
        <SelectField
          label={`Hour (${placeOf(zone)})`}
          choices={hours}
          value={String(chosen.hour)}
          onChange={({ target }) => change({ hour: Number(target.value) })}
        />
      )}
    </>
  )
}

const hours = Array.from({ length: 24 }, (_, hour) => ({
  value: String(hour),
  label: `${hour % 12 === 0 ? 12 : hour % 12} ${hour < 12 ? 'AM' : 'PM'}`,
}))

function Switch({ isOn, set, children }: { isOn: boolean; set: (isOn: boolean) => void; children: string }) {
  return (
    <label className="flex w-fit touch items-center gap-2.5">
      <input
        type="checkbox"
        checked={isOn}
        onChange={({ target }) => set(target.checked)}
        className="size-4 shrink-0 accent-accent"
      />
      {children}
    </label>
  )
}

/** Suggests people in deals who may be the user; their deals are followed once confirmed. */
function OwnDeals() {
  const { data: people } = trpc.notifications.people.useQuery()
  const [chosen, choose] = useState<ReadonlySet<number> | null>(null)
  const { notifications } = trpc.useUtils()
  const confirm = trpc.notifications.confirmPeople.useMutation({
    async onSuccess() {
      toast.success('Saved.')
      await Promise.all([notifications.people.invalidate(), notifications.follow.invalidate()])
    },
    onError: toastFailure,
  })
  if (people === undefined) return null
  const ids = chosen ?? new Set(people.filter(({ isConfirmed }) => isConfirmed).map(({ id }) => id))
  return (
    <section aria-labelledby="own-deals" className="mt-6 max-w-md border-t border-line pt-5">
      <h3 id="own-deals" className="font-medium">
        Deals that name you
      </h3>
      {people.length === 0 ? (
        <p className="mt-1 text-pretty text-ink-soft">
          No deal names your e-mail address or name. You can follow single deals and views.
        </p>
      ) : (
        <>
          <p className="mt-1 mb-3 text-pretty text-ink-soft">
            Check those that are you to follow all their deals.
          </p>
          <div className="grid gap-2.5 pointer-coarse:gap-0">
            {people.map(({ id, name, email, dealCount }) => (
              <Switch
                key={id}
                isOn={ids.has(id)}
                set={(isOn) => {
                  const next = new Set(ids)
                  if (isOn) next.add(id)
                  else next.delete(id)
                  choose(next)
                }}
              >
                {`${[name, email].filter((text) => text !== '').join(' · ')} · ${formatCountOf(dealCount, 'deal')}`}
              </Switch>
            ))}
          </div>
          <Button busy={confirm.isPending} onClick={() => confirm.mutate({ ids: [...ids] })} className="mt-4">
            Save your deals
          </Button>
        </>
      )}
    </section>
  )
}

/** Why this browser cannot receive push messages; null if it can. */
type Obstacle = 'unsupported' | 'home-screen' | 'blocked'

const obstacles: Record<Obstacle, string> = {
  unsupported: 'This browser does not support push messages.',
  'home-screen':
    'On an iPhone or iPad, first add the portal to the home screen: tap Share, then Add to Home Screen. ' +
    'Open it from there and come back to this page.',
  blocked:
    'Notifications are blocked in the browser settings. Allow them for this site, then reload this page.',
}

/** Shows whether this browser receives push messages, and all browsers that do. */
export function PushPanels() {
  const { data: browsers = [] } = trpc.push.list.useQuery()
  return (
    <>
      <Panel
        title="Push messages on this device"
        about="Updates on the deals you follow, also while the portal is closed. They stop when you sign out here."
      >
        <PushSwitch />
      </Panel>
      {browsers.length > 0 && (
        <Panel title="Browsers with push messages" about="Remove those you don’t recognize or no longer use.">
          <SubscribedBrowsers browsers={browsers} />
        </Panel>
      )}
    </>
  )
}

type SubscribedBrowser = inferRouterOutputs<Api>['push']['list'][number]

const subscriptionStates = { on: null, failing: 'Not receiving messages', ended: 'Turned off' } as const

/** Lists the browsers that receive push messages, and removes one. */
function SubscribedBrowsers({ browsers }: { browsers: SubscribedBrowser[] }) {
  const { push } = trpc.useUtils()
  const list = useRef<HTMLUListElement>(null)
  const remove = trpc.push.remove.useMutation({
    async onSuccess() {
      await push.invalidate()
      toast.success('Browser removed.')
      // The focused button disappears.
      list.current?.focus()
    },
    onError: toastFailure,
  })
  return (
    <ul
      ref={list}
      tabIndex={-1}
      aria-label="Browsers with push messages"
      className="divide-y divide-line rounded-lg outline-offset-4"
    >
      {browsers.map((browser) => (
        <SubscribedRow
          key={browser.id}
          subscription={browser}
          isBusy={remove.isPending && remove.variables.id === browser.id}
          onRemove={() => remove.mutate({ id: browser.id })}
        />
      ))}
    </ul>
  )
}

function SubscribedRow({
  subscription: { browser, createdAt, isThis, state },
  isBusy,
  onRemove,
}: {
  subscription: SubscribedBrowser
  isBusy: boolean
  onRemove: () => void
}) {
  const { formatInstant } = useFormat()
  const since = createdAt.toISOString()
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-2 py-3 first:pt-0 last:pb-0">
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-center gap-x-2.5 gap-y-1">
          <span className="font-medium wrap-anywhere">{browser}</span>
          {isThis && <Badge tone="good">This browser</Badge>}
          {subscriptionStates[state] !== null && <Badge tone="bad">{subscriptionStates[state]}</Badge>}
        </p>
        <p className="text-ink-soft">
          Since <time dateTime={since}>{formatInstant(since)}</time>
        </p>
      </div>
      <Button busy={isBusy} onClick={onRemove}>
        Remove
        <span className="sr-only">
          {' '}
          {browser}, since {formatInstant(since)}
        </span>
      </Button>
    </li>
  )
}

function PushSwitch() {
  const device = useDevice()
  const { push } = trpc.useUtils()
  const { data: key } = trpc.push.key.useQuery()
  const status = trpc.push.status.useQuery(
    { endpoint: device?.subscription?.endpoint ?? '' },
    { enabled: device?.subscription !== null && device !== null },
  )
  const [isBusy, setBusy] = useState(false)
  const subscribe = trpc.push.subscribe.useMutation()
  const unsubscribe = trpc.push.unsubscribe.useMutation()
  if (device === null || key === undefined) return <p className="text-ink-soft">Checking this browser…</p>
  if (device.obstacle !== null) return <p className="text-pretty">{obstacles[device.obstacle]}</p>
  const isOn = device.subscription !== null && status.data?.isOn === true
  const endedBecause = device.subscription === null ? null : (status.data?.endedBecause ?? null)

  async function change(work: () => Promise<void>) {
    setBusy(true)
    try {
      await work()
      await push.invalidate()
    } catch (error) {
      toastFailure(error)
    } finally {
      setBusy(false)
      await device!.look()
    }
  }

  const turnOn = () =>
    change(async () => {
      if ((await Notification.requestPermission()) !== 'granted') return
      const subscription = await subscribeBrowser(key.publicKey)
      const { endpoint, keys } = subscription.toJSON()
      await subscribe.mutateAsync({ endpoint: endpoint!, p256dh: keys!['p256dh']!, auth: keys!['auth']! })
      toast.success('Push messages are on.')
    })

  const turnOff = () =>
    change(async () => {
      const { subscription } = device
      await unsubscribe.mutateAsync({ endpoint: subscription!.endpoint })
      await subscription!.unsubscribe()
      toast.success('Push messages are off.')
    })

  return (
    <div className="flex flex-col items-start gap-3">
      <p>{isOn ? 'On' : 'Off'}</p>
      {endedBecause !== null && (
        <p className="text-pretty text-bad">
          Turned off, because the push service of this browser did not accept messages ({endedBecause}). Turn
          them on to subscribe again.
        </p>
      )}
      <Button busy={isBusy} onClick={() => void (isOn ? turnOff() : turnOn())}>
        {isOn ? 'Turn off' : 'Turn on'}
      </Button>
    </div>
  )
}

/** Subscribes the browser with this installation's key, replacing a subscription with another key. */
async function subscribeBrowser(publicKey: string): Promise<PushSubscription> {
  const { pushManager } = await navigator.serviceWorker.ready
  const options = { userVisibleOnly: true, applicationServerKey: publicKey }
  try {
    return await pushManager.subscribe(options)
  } catch (error) {
    const old = await pushManager.getSubscription()
    if (old === null) throw error
    await old.unsubscribe()
    return pushManager.subscribe(options)
  }
}

interface Device {
  obstacle: Obstacle | null
  subscription: PushSubscription | null
  /** Checks the browser again. */
  look: () => Promise<void>
}

/** Returns this browser's push support and subscription; null while unknown. */
function useDevice(): Device | null {
  const [seen, setSeen] = useState<Omit<Device, 'look'> | null>(null)
  const look = async () => setSeen(await lookAtBrowser())
  useEffect(() => void look(), [])
  return seen && { ...seen, look }
}

async function lookAtBrowser(): Promise<Omit<Device, 'look'>> {
  const obstacle = obstacleOf()
  if (obstacle !== null) return { obstacle, subscription: null }
  const registration = await navigator.serviceWorker.getRegistration()
  return { obstacle, subscription: (await registration?.pushManager.getSubscription()) ?? null }
}

function obstacleOf(): Obstacle | null {
  const isSupported = 'serviceWorker' in navigator && 'PushManager' in window && 'Notification' in window
  if (!isSupported) return /\b(?:iPhone|iPad)\b/.test(navigator.userAgent) ? 'home-screen' : 'unsupported'
  return Notification.permission === 'denied' ? 'blocked' : null
}
