import { z } from 'zod'
import type { CrmFile, CrmPerson, CrmProperty, CrmStage } from './crm-source.ts'

// The parts of HubSpot's CRM API, version 3, that this source uses.
// https://developers.hubspot.com/docs/api-reference/crm-deals-v3

/** A string. HubSpot sends some strings, such as ids, as numbers or booleans. */
const Text = z.union([z.string(), z.number().transform(String), z.boolean().transform(String)])

/** An optional string. Invalid values become null. */
const OptionalText = Text.nullish().catch(null)

/** Start of the next page, or undefined on the last page. */
const Paging = z
  .looseObject({ next: z.looseObject({ after: OptionalText }).nullish() })
  .nullish()
  .transform((paging) => (paging?.next?.after ? { next: { after: paging.next.after } } : undefined))

const HubspotObject = z.looseObject({
  id: Text,
  updatedAt: OptionalText,
  properties: z.record(
    z.string(),
    OptionalText.transform((value) => value ?? null),
  ),
  archived: z.boolean().nullish(),
})
export type HubspotObject = z.infer<typeof HubspotObject>

export const HubspotObjects = z.looseObject({
  results: z.array(HubspotObject),
  total: z.int().optional(),
  paging: Paging,
})

/**
 * Errors for the parts of a batch that could not be read (207):
 * https://developers.hubspot.com/docs/api-reference/error-handling.
 */
export const BatchErrors = z
  .looseObject({ errors: z.array(z.looseObject({ category: OptionalText, message: OptionalText })) })
  .transform(({ errors }) => errors.find(({ category }) => category !== 'OBJECT_NOT_FOUND'))

/** Associations between objects: https://developers.hubspot.com/docs/api-reference/crm-associations-v4. */
export const HubspotAssociations = z.looseObject({
  results: z.array(
    z.looseObject({
      from: z.looseObject({ id: Text }),
      to: z.array(z.looseObject({ toObjectId: Text })),
      paging: Paging,
    }),
  ),
})

const HubspotOwner = z.looseObject({
  id: Text,
  userId: z.int().nullish().catch(null),
  userIdIncludingInactive: z.int().nullish().catch(null),
  email: OptionalText,
  firstName: OptionalText,
  lastName: OptionalText,
  createdAt: OptionalText,
  updatedAt: OptionalText,
  teams: z.array(z.looseObject({ id: Text, name: OptionalText, primary: z.boolean().nullish() })).nullish(),
})

export type HubspotOwner = z.infer<typeof HubspotOwner>

export const HubspotOwners = z.looseObject({ results: z.array(HubspotOwner), paging: Paging })

/** Returns the teams of an owner. A team without a name is called by its id. */
export const namedTeamsOf = ({ teams }: HubspotOwner) =>
  (teams ?? []).map(({ id, name, primary }) => ({ id, name: name ?? id, primary: primary === true }))

/** Converts an owner to a person, with the names of all teams and the id of the primary team. */
export function toPerson(owner: z.infer<typeof HubspotOwner>): CrmPerson {
  const teams = namedTeamsOf(owner)
  return {
    id: owner.id,
    userId: owner.userId ?? owner.userIdIncludingInactive ?? null,
    email: owner.email ?? null,
    firstName: owner.firstName ?? null,
    lastName: owner.lastName ?? null,
    teams: teams.length === 0 ? null : teams.map(({ name }) => name).join(', '),
    crmTeamId: (teams.find(({ primary }) => primary) ?? teams[0])?.id ?? null,
    createdAt: owner.createdAt ?? null,
    updatedAt: owner.updatedAt ?? null,
  }
}

const HubspotPipeline = z.looseObject({
  id: Text,
  label: Text,
  displayOrder: z.int().catch(0),
  stages: z.array(
    z.looseObject({
      id: Text,
      label: Text,
      displayOrder: z.int().catch(0),
      metadata: z.record(z.string(), z.unknown()).nullish(),
    }),
  ),
})

export const HubspotPipelines = z.looseObject({ results: z.array(HubspotPipeline) })

// Gap between the orders of two pipelines' stages. HubSpot allows 100 stages per pipeline.
const pipelineStep = 1000
const orderStep = 10

/** Returns the stages of all pipelines in HubSpot's display order. */
export function toStages(pipelines: z.infer<typeof HubspotPipelines>['results']): CrmStage[] {
  return pipelines
    .toSorted((a, b) => a.displayOrder - b.displayOrder || (a.label < b.label ? -1 : 1))
    .flatMap(({ id: pipelineId, label: pipeline, stages }, place) =>
      stages
        .toSorted((a, b) => a.displayOrder - b.displayOrder)
        .map(({ id: stageId, label: stage, metadata }, index) => ({
          pipelineId,
          pipeline,
          stageId,
          stage,
          ...kindOf(metadata ?? {}),
          order: place * pipelineStep + index * orderStep,
        })),
    )
}

/**
 * Returns the kind and probability of a stage. A stage is closed if HubSpot says so or its probability is 0
 * or 1.
 */
function kindOf(metadata: Record<string, unknown>): Pick<CrmStage, 'kind' | 'probability'> {
  const value = metadata['probability']
  const probability =
    (typeof value === 'string' || typeof value === 'number') && Number.isFinite(Number(value)) && value !== ''
      ? Number(value)
      : null
  const isClosed =
    metadata['isClosed'] === undefined
      ? probability === 0 || probability === 1
      : String(metadata['isClosed']) === 'true'
  if (!isClosed) return { kind: 'open', probability }
  return { kind: probability === 0 ? 'lost' : 'won', probability }
}

/** A file: https://developers.hubspot.com/docs/api-reference/files-files-v3. */
export const HubspotFile = z.looseObject({
  name: OptionalText,
  extension: OptionalText,
  size: z.int().min(0).nullish().catch(null),
  updatedAt: Text,
  archived: z.boolean().nullish(),
})

export const HubspotSignedUrl = z.looseObject({ url: z.url(), expiresAt: z.iso.datetime({ offset: true }) })

/** Converts a file. HubSpot's file names lack the extension. */
export function toFile(
  id: string,
  { name, extension, size, updatedAt }: z.infer<typeof HubspotFile>,
): CrmFile {
  const plain = (text: string) => text.replaceAll(/[\p{Cc}\p{Cs}/\\]/gu, ' ').trim()
  const end = extension == null || extension === '' ? '' : `.${plain(extension).slice(0, 20)}`
  const base = plain(name ?? '').slice(0, 200) || `file-${id}`
  return { name: base.endsWith(end) ? base : base + end, sizeBytes: size ?? 0, revision: updatedAt }
}

const HubspotProperty = z.looseObject({
  name: z.string(),
  label: OptionalText,
  type: OptionalText,
  fieldType: OptionalText,
  options: z.array(z.looseObject({ label: OptionalText, value: OptionalText })).nullish(),
  externalOptions: z.boolean().nullish(),
  referencedObjectType: OptionalText,
  showCurrencySymbol: z.boolean().nullish(),
})
type HubspotProperty = z.infer<typeof HubspotProperty>

export const HubspotProperties = z.looseObject({ results: z.array(HubspotProperty) })

const types = ['string', 'number', 'date', 'datetime', 'enumeration', 'bool'] as const

export function toProperty(property: HubspotProperty): CrmProperty {
  const { name, label, type, fieldType, options } = property
  return {
    name,
    label: label ?? name,
    type: types.find((known) => known === type) ?? 'string',
    isList: fieldType === 'checkbox',
    // The options of a flag are Yes and No in the language of the account.
    labels: new Map(
      type === 'enumeration'
        ? (options ?? []).flatMap(({ value, label: text }) => (value == null ? [] : [[value, text ?? value]]))
        : [],
    ),
    isBox: fieldType === 'booleancheckbox',
    isRichText: fieldType === 'html',
    refersTo: referenceOf(property),
  }
}

/**
 * Returns the kinds of records that a property's values refer to. HubSpot declares the type only for owners,
 * whose values may be either of their two ids.
 */
function referenceOf(property: HubspotProperty): NonNullable<CrmProperty['refersTo']> {
  const { name, externalOptions, referencedObjectType } = property
  if (name === 'dealstage') return ['stage']
  if (name === 'pipeline') return ['pipeline']
  if (referencedObjectType === 'OWNER') return ['owner', 'user']
  if (/(?:^|_)team_ids?$/.test(name)) return ['team']
  if (/(?:^|_)user_ids?(?:_|$)/.test(name)) return ['user']
  if (/(?:^|_)owner_ids?$/.test(name)) return ['owner']
  return externalOptions === true && !referencedObjectType ? ['owner', 'user', 'team'] : []
}

/** Returns true if a property has amounts in the currency of its deal. */
export const isMoney = ({ name, showCurrencySymbol }: HubspotProperty) =>
  (name === 'amount' || showCurrencySymbol === true) && !name.endsWith('_in_home_currency')

/** Details of an account: https://developers.hubspot.com/docs/api-reference/account-account-info-v3. */
export const HubspotAccount = z.looseObject({ companyCurrency: z.string().nullish() })

/** Properties that determine the currency of a deal's amounts. */
export const currencyProperties = ['deal_currency_code', 'amount', 'amount_in_home_currency']

export interface Currencies {
  /** The company's currency, such as `USD`, or null if HubSpot does not return it. */
  home: string | null
  money: ReadonlySet<string>
}

/** Default for companies whose currency HubSpot does not return. */
const usual = 'USD'

type Values = Readonly<Record<string, string | null>>

/**
 * Converts a deal's amounts to the company's currency at the rate that HubSpot used for the deal's amount.
 * Returns the values, and the reasons for amounts that are missing because there is no rate.
 */
export function inHomeCurrency(
  values: Values,
  { home, money }: Currencies,
): { values: Values; unreadable?: ReadonlyMap<string, string> } {
  const code = (values['deal_currency_code'] ?? '').toUpperCase()
  if (code === '' || code === home) return { values }
  const amount = Number(values['amount'] ?? Number.NaN)
  const converted = values['amount_in_home_currency'] ?? ''
  const rate = converted === '' ? Number.NaN : Number(converted) / amount
  const isUsual = home === null && code === usual && !Number.isFinite(rate)
  if (rate === 1 || isUsual) return { values }
  const changed: Record<string, string | null> = {}
  const unreadable = new Map<string, string>()
  for (const name of money) {
    const value = values[name] ?? ''
    if (value === '') continue
    if (name === 'amount' && converted !== '') changed[name] = converted
    else if (Number.isFinite(Number(value) * rate))
      changed[name] = String(Math.round(Number(value) * rate * 100) / 100)
    else {
      changed[name] = null
      unreadable.set(name, `is in ${code}, and HubSpot does not convert it to ${home ?? usual}`)
    }
  }
  return { values: { ...values, ...changed }, ...(unreadable.size > 0 && { unreadable }) }
}
