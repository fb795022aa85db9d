import { z } from 'zod'
import { chosenMax } from '../deals/policy.ts'
import { GetDeal } from '../deals/wire.ts'
import { DealFilter, RelativeDays } from '../search/wire.ts'
import { RowId, line, text, BigRowId } from '../values/input.ts'
import type { NotificationKind } from './notification.ts'
import { schedules } from './when.ts'

export const SetNotifications = z.object({
  stage: z.boolean(),
  dates: z.boolean(),
  late: z.boolean(),
  items: z.boolean(),
  files: z.boolean(),
  messages: z.boolean(),
  schedule: z.enum(schedules),
  hour: z.int().min(0).max(23),
  atNight: z.boolean(),
  byMail: z.boolean(),
})
export type SetNotifications = z.infer<typeof SetNotifications>

export const FollowDeals = z.object({
  ids: z.array(GetDeal.shape.id).min(1).max(chosenMax),
  isOn: z.boolean(),
})

/**
 * A view to follow, with its current filter and relative days. If the filter is null, the view is unfollowed.
 */
export const FollowView = z.object({
  id: RowId,
  filter: DealFilter.nullable(),
  relativeDays: RelativeDays.default({}),
})

export const ConfirmPeople = z.object({ ids: z.array(RowId).max(100) })

/** A page of notifications, starting before the id `cursor` if given. */
export const ListNotifications = z.object({ cursor: BigRowId.nullish() })

export const Unsubscribe = z.object({ token: text(60) })

const endpoint = text(2048)
const key = text(200).regex(/^[\w-]+={0,2}$/, { error: 'must be base64url' })

/** The subscription of a browser (https://www.w3.org/TR/push-api/). */
export const Subscribe = z.object({ endpoint, p256dh: key, auth: key })

export const ChooseSubscription = z.object({ endpoint })

export const RemoveSubscription = z.object({ id: RowId })

export const SetPushNames = z.object({ isOn: z.boolean() })

export const teamServices = ['slack', 'teams'] as const
export type TeamService = (typeof teamServices)[number]

/** Kinds of updates for team channels. Messages are excluded because they are private. */
export const teamKinds = [
  'stage',
  'dates',
  'late',
  'items',
  'files',
] as const satisfies readonly NotificationKind[]
export type TeamKind = (typeof teamKinds)[number]

export const teamServiceLabels: Readonly<Record<TeamService, string>> = {
  slack: 'Slack',
  teams: 'Microsoft Teams',
}

export const teamKindLabels: Readonly<Record<TeamKind, string>> = {
  stage: 'Stages and new deals',
  dates: 'Dates',
  late: 'Late steps',
  items: 'Outstanding items',
  files: 'Files',
}

const name = line(80).min(1)
const kinds = z.array(z.enum(teamKinds)).min(1).max(teamKinds.length)

export const AddChannel = z.object({ name, service: z.enum(teamServices), url: text(2048), kinds })

export const ChooseChannel = z.object({ id: RowId })

export const ChangeChannel = ChooseChannel.extend({ name, kinds })

export const SwitchChannel = ChooseChannel.extend({ isOn: z.boolean() })
