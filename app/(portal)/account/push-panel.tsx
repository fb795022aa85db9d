'use client'

import { useEffect, useRef, useState } from 'react'
import { type Outputs, trpc } from '#app/trpc.ts'
import { Badge } from '#app/ui/badge.tsx'
import { Button } from '#app/ui/button.tsx'
import { Panel } from '#app/ui/page-head.tsx'
import { useFormat } from '#app/ui/times.tsx'
import { done, toastFailure } from '#app/ui/toast-failure.ts'
import { toast } from '#app/ui/toast.tsx'

/** Why this browser cannot receive push messages. */
type Obstacle = 'unsupported' | 'home-screen' | 'blocked'

const obstacles: Record<Obstacle, string> = {
  unsupported: 'This browser doesn’t support push notifications.',
  'home-screen':
    'On an iPhone or iPad, first add the portal to the home screen: tap Share, then Add to Home Screen. ' +
    'Open it from there and come back to this page.',
  blocked:
    'Notifications are blocked in the browser settings. Allow them for this site, then reload this page.',
}

/** Shows whether this browser receives push messages, and lists all browsers that do. */
export function PushPanels() {
  const { data: browsers = [] } = trpc.push.list.useQuery()
  return (
    <>
      <Panel
        title="Push notifications on this device"
        about="Updates on the deals you follow, even while the portal is closed. They stop when you sign out here."
      >
        <PushSwitch />
      </Panel>
      {browsers.length > 0 && (
        <Panel
          title="Browsers with push notifications"
          about="Remove those you don’t recognize or no longer use."
        >
          <SubscribedBrowsers browsers={browsers} />
        </Panel>
      )}
    </>
  )
}

type SubscribedBrowser = Outputs['push']['list'][number]

const subscriptionStates = { on: null, failing: 'Not receiving messages', ended: 'Turned off' } as const

/** Lists the browsers that receive push messages, with buttons to remove one. */
function SubscribedBrowsers({ browsers }: { browsers: SubscribedBrowser[] }) {
  const { push } = trpc.useUtils()
  const list = useRef<HTMLUListElement>(null)
  const remove = trpc.push.remove.useMutation({
    // Moves the focus, because the focused button disappears.
    ...done(
      () => push.invalidate(),
      'Browser removed.',
      () => list.current?.focus(),
    ),
    onError: toastFailure,
  })
  return (
    <ul
      ref={list}
      tabIndex={-1}
      aria-label="Browsers with push notifications"
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
      <Button look="remove" busy={isBusy} onClick={onRemove}>
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
      toast.success('Push notifications are on.')
    })

  const turnOff = () =>
    change(async () => {
      const { subscription } = device
      await unsubscribe.mutateAsync({ endpoint: subscription!.endpoint })
      await subscription!.unsubscribe()
      toast.success('Push notifications are off.')
    })

  return (
    <div className="flex flex-col items-start gap-3">
      <p>{isOn ? 'On' : 'Off'}</p>
      {endedBecause !== null && (
        <p className="text-pretty text-bad">
          Turned off, because this browser’s push service rejected messages ({endedBecause}). Turn them on to
          subscribe again.
        </p>
      )}
      <Button busy={isBusy} onClick={() => void (isOn ? turnOff() : turnOn())}>
        {isOn ? 'Turn off' : 'Turn on'}
      </Button>
    </div>
  )
}

/** Subscribes the browser with this installation's key. Replaces any subscription with another key. */
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
  /** Checks the browser's state again. */
  look: () => Promise<void>
}

/** Returns this browser's push support and subscription, or null while unknown. */
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
