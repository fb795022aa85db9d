import { tenantOfPartner } from '../access/actor.ts'
import type { AuditContext } from '../access/audited.ts'
import { forOperators, router } from '../access/procedure.ts'
import type { DealField } from '../deals/deal.ts'
import { countWithoutPartner } from '../deals/list-store.ts'
import { notFound } from '../errors.ts'
import type { Services } from '../runtime/services.ts'
import * as actions from './actions.ts'
import { readFileState } from './file-store.ts'
import { hintPathOf } from './hubspot-webhook.ts'
import { propertiesByField } from './mapped-fields.ts'
import { ApplyMapping, SetFiles, SetMapping, SetZone, SourceSettings, TryProperty } from './mapping.ts'
import { sourceStateOf } from './source-state.ts'
import {
  type StoredSource,
  countOfSource,
  findSource,
  readPartnerValues,
  readDelay,
  readRejects,
  readSources,
  readUnknownPartners,
} from './store.ts'
import { readTrial } from './trial-store.ts'
import { fitOf, type TrialResult } from './try-mapping.ts'
import {
  ApproveRemovals,
  AssignPartner,
  ConnectSource,
  NameSource,
  SetPoll,
  SetSecret,
  SetSigningSecret,
} from './wire.ts'

const rejectsShown = 50
const unknownShown = 200

/** Returns a procedure that runs an action on a source, given only the source's id. */
const verb = (work: (context: AuditContext, id: number) => Promise<void>) =>
  forOperators.input(NameSource).mutation(({ ctx, input: { id } }) => work(ctx, id))

export const sourcesRouter = router({
  list: forOperators.query(async ({ ctx: { db } }) =>
    (await readSources(db)).map((source) => visibleSource(source)),
  ),

  get: forOperators.input(NameSource).query(async ({ ctx: { db, config }, input: { id } }) => {
    const source = await findSource(db, id)
    if (source === undefined) throw notFound('Source')
    const [counts, withoutPartner, unknown, rejects, partners, trial, fileState, delayMs] = await Promise.all(
      [
        countOfSource(db, id),
        countWithoutPartner(db),
        readUnknownPartners(db, id, unknownShown),
        readRejects(db, id, rejectsShown),
        readPartnerValues(db, id),
        readTrial(db, id),
        readFileState(db, id, rejectsShown),
        readDelay(db, id),
      ],
    )
    const { mapping, partnerProperty, files, zone } = SourceSettings.parse(JSON.parse(source.settings))
    return {
      ...visibleSource(source),
      ...counts,
      withoutPartner,
      /** Longest delay in the last week until a change became visible in the source. */
      delayMs,
      unknown: source.connectedAt === null ? unknownIn(trial?.result?.values ?? [], partners) : unknown,
      rejects,
      mapping,
      partnerProperty,
      trial,
      files,
      zone,
      fileState,
      hintUrl: `${config.publicUrl}${hintPathOf(id)}`,
      partners: partners.map(({ value, slug, name }) => ({ value, slug, name })),
    }
  }),

  /**
   * Returns the properties of a source, and how well mapped properties fit their fields in recent records.
   */
  properties: forOperators.input(NameSource).query(({ ctx, input: { id } }) =>
    actions.withSource(crmDepsOf(ctx), id, async (crm, settings) => {
      const directory = await crm.readDirectory()
      const mapped = Object.entries(propertiesByField(settings)).filter(([, property]) =>
        directory.properties.has(property),
      ) as [DealField | 'partner', string][]
      const records = await crm.readRecent([...new Set(mapped.map(([, property]) => property))])
      return {
        properties: [...directory.properties.values()].map(({ name, label }) => ({ name, label })),
        fits: mapped.map(([field, property]) => ({
          field,
          property,
          ...fitOf(field, property, records, directory, settings.zone),
        })),
      }
    }),
  ),

  /**
   * Rates how well a property fits a field, based on recent records. Returns null if the property does not
   * exist.
   */
  tryProperty: forOperators.input(TryProperty).query(({ ctx, input: { id, field, property } }) =>
    actions.withSource(crmDepsOf(ctx), id, async (crm, { zone }) => {
      const directory = await crm.readDirectory()
      if (!directory.properties.has(property)) return null
      return fitOf(field, property, await crm.readRecent([property]), directory, zone)
    }),
  ),

  look: forOperators
    .input(ConnectSource)
    .mutation(async ({ ctx, input }) => ({ id: await actions.startSourceTrial(crmDepsOf(ctx), input) })),
  lookAgain: verb(actions.restartSourceTrial),
  connect: verb(actions.connectLookedAt),

  setSecret: forOperators
    .input(SetSecret)
    .mutation(({ ctx, input: { id, secret } }) => actions.setSecret(crmDepsOf(ctx), id, secret)),

  setSigningSecret: forOperators
    .input(SetSigningSecret)
    .mutation(({ ctx, input: { id, secret } }) => actions.setSigningSecret(crmDepsOf(ctx), id, secret)),

  pause: verb(actions.pauseSource),
  resume: verb(actions.resumeSource),
  refresh: verb(actions.refreshSource),
  compare: verb(actions.compareSource),
  setPoll: forOperators
    .input(SetPoll)
    .mutation(({ ctx, input: { id, pollS } }) => actions.setPoll(ctx, id, pollS)),
  setZone: forOperators.input(SetZone).mutation(({ ctx, input }) => actions.setZone(ctx, input)),
  setMapping: forOperators
    .input(ApplyMapping)
    .mutation(({ ctx, input }) => actions.setMapping(crmDepsOf(ctx), input)),
  setFiles: forOperators
    .input(SetFiles)
    .mutation(({ ctx, input }) => actions.setFiles(crmDepsOf(ctx), input)),
  tryMapping: forOperators
    .input(SetMapping)
    .mutation(({ ctx, input }) => actions.tryMapping(crmDepsOf(ctx), input)),
  dropTrial: verb(actions.dropTrial),
  approveRemovals: forOperators
    .input(ApproveRemovals)
    .mutation(({ ctx, input: { id, count } }) => actions.approveRemovals(ctx, id, count)),
  disconnect: verb(actions.disconnectSource),

  assign: forOperators
    .input(AssignPartner)
    .mutation(async ({ ctx, input }) =>
      actions.assignPartner(
        ctx,
        input,
        input.partner === null ? null : await tenantOfPartner(ctx, input.partner),
      ),
    ),
})

const crmDepsOf = <C extends { services: Pick<Services, 'encryptionKey' | 'config'> }>(ctx: C) => ({
  ...ctx,
  encryptionKey: ctx.services.encryptionKey,
  hubspotUrl: ctx.services.config.hubspotUrl,
})

/** Returns the values of an unconnected source that are not mapped to a partner. */
const unknownIn = (values: TrialResult['values'], partners: { value: string }[]) =>
  values.filter(({ value }) => !partners.some((known) => known.value === value))

function visibleSource(source: StoredSource) {
  const { settings: _, afterId: __, directory: ___, archivedAfter: ____, comparingAfter, ...rest } = source
  return { ...rest, isComparing: comparingAfter !== null, ...sourceStateOf(source, Date.now()) }
}
