import { reachOfPartner } from '../access/actor.ts'
import { forOperators, router } from '../access/procedure.ts'
import { notFound } from '../protocol/errors.ts'
import * as actions from './actions.ts'
import { SetMapping, SourceSettings } from './mapping.ts'
import { sourceStateOf } from './source-state.ts'
import {
  type StoredSource,
  countOfSource,
  findSource,
  readPartnerValues,
  readRejects,
  readSources,
  readUnknownPartners,
} from './store.ts'
import { ApproveRemovals, AssignPartner, ConnectSource, NameSource, SetPoll, SetSecret } from './wire.ts'

const rejectsShown = 50
const unknownShown = 200

/** The sources that deals come from, for operators. */
export const sourcesRouter = router({
  list: forOperators.query(async ({ ctx: { db } }) => (await readSources(db)).map((source) => shown(source))),

  /** Returns a source with what waits in it. */
  get: forOperators.input(NameSource).query(async ({ ctx: { db }, input: { id } }) => {
    const source = await findSource(db, id)
    if (source === undefined) throw notFound('Source')
    const [counts, unknown, rejects, partners] = await Promise.all([
      countOfSource(db, id),
      readUnknownPartners(db, id, unknownShown),
      readRejects(db, id, rejectsShown),
      readPartnerValues(db, id),
    ])
    const { mapping, partnerProperty } = SourceSettings.parse(JSON.parse(source.settings))
    return {
      ...shown(source),
      ...counts,
      unknown,
      rejects,
      mapping,
      partnerProperty,
      partners: partners.map(({ value, slug, name }) => ({ value, slug, name })),
    }
  }),

  connect: forOperators
    .input(ConnectSource)
    .mutation(async ({ ctx, input }) => ({ id: await actions.connectSource(meansOf(ctx), input) })),

  setSecret: forOperators
    .input(SetSecret)
    .mutation(({ ctx, input: { id, secret } }) => actions.setSecret(meansOf(ctx), id, secret)),

  pause: forOperators.input(NameSource).mutation(({ ctx, input: { id } }) => actions.pauseSource(ctx, id)),
  resume: forOperators.input(NameSource).mutation(({ ctx, input: { id } }) => actions.resumeSource(ctx, id)),
  refresh: forOperators
    .input(NameSource)
    .mutation(({ ctx, input: { id } }) => actions.refreshSource(ctx, id)),
  compare: forOperators
    .input(NameSource)
    .mutation(({ ctx, input: { id } }) => actions.refreshSource(ctx, id, true)),
  setPoll: forOperators
    .input(SetPoll)
    .mutation(({ ctx, input: { id, pollS } }) => actions.setPoll(ctx, id, pollS)),
  setMapping: forOperators.input(SetMapping).mutation(({ ctx, input }) => actions.setMapping(ctx, input)),
  approveRemovals: forOperators
    .input(ApproveRemovals)
    .mutation(({ ctx, input: { id, count } }) => actions.approveRemovals(ctx, id, count)),
  disconnect: forOperators
    .input(NameSource)
    .mutation(({ ctx, input: { id } }) => actions.disconnectSource(ctx, id)),

  /** Says which partner a value means; its deals are moved at the next look. */
  assign: forOperators
    .input(AssignPartner)
    .mutation(async ({ ctx, input }) =>
      actions.assignPartner(
        ctx,
        input,
        input.partner === null ? null : await reachOfPartner(ctx, input.partner),
      ),
    ),
})

type Ctx = Pick<actions.ConnectMeans, never> & {
  services: { encryptionKey: Buffer; config: { hubspotUrl: string } }
}

/** Returns what connecting needs, with who asks. */
const meansOf = <C extends Ctx>(ctx: C) => ({
  ...ctx,
  encryptionKey: ctx.services.encryptionKey,
  hubspotUrl: ctx.services.config.hubspotUrl,
})

/** Returns a source as the portal shows it. */
function shown(source: StoredSource) {
  const { settings: _, afterId: __, comparingAfter, ...rest } = source
  return { ...rest, isComparing: comparingAfter !== null, ...sourceStateOf(source, Date.now()) }
}
