import { z } from 'zod'
import { RowId, line, text } from '../../values/input.ts'
import type { NotificationKind } from '../notification.ts'

/** Supported services with incoming webhooks. */
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
