import type { Database } from '#db/client.ts'
import { type Actor, isInternal } from '../access/actor.ts'
import { audited, note } from '../access/audited.ts'
import { forOperators, router } from '../access/procedure.ts'
import { ownerOf } from '../accounts/partner.ts'
import { findPartner } from '../accounts/store.ts'
import { ApiError, notFound } from '../errors.ts'
import { headerKey } from '../readers/mapping.ts'
import { columnFields } from '../readers/title-fields.ts'
import type { Services } from '../runtime/services.ts'
import { readStageNames } from '../stages/store.ts'
import {
  beginCheck,
  beginUndo,
  choose,
  createImport,
  invalid,
  receiveSlice,
  startImport,
  throwTaken,
} from './actions.ts'
import { checkCorrections, readCorrectable, sendCorrections } from './correction.ts'
import { chosenStages, cleanFileName, movedSubject, readSample, rejectedNameOf } from './import.ts'
import { importStoragesOf } from './make-storages.ts'
import { sampleMax } from './policy.ts'
import { rememberMapping, findSame, findUndo, readEndpointsOf } from './related-store.ts'
import { type Discarded, discardImport, findImport, readImports, sendImport } from './store.ts'
import {
  AppendSlice,
  BeginImport,
  ChooseImport,
  ChooseReading,
  CorrectRows,
  ListImports,
  StartImport,
} from './wire.ts'

const pageSize = 20

interface ReadingContext {
  db: Database
  services: Services
  actor: Actor
}

export const importsRouter = router({
  list: forOperators.input(ListImports).query(async ({ ctx: { db, actor }, input: { cursor } }) => {
    const found = await readImports(db, actor.tenant, cursor ?? null, pageSize + 1)
    const page = found.slice(0, pageSize)
    return { imports: page.map(show), next: found.length > pageSize ? page.at(-1)!.id : null }
  }),

  /** Returns an import with the results of its check. */
  one: forOperators.input(ChooseImport).query(async ({ ctx, input: { id } }) => {
    const { db, actor } = ctx
    const { sample: json, ...found } = await requireImport(ctx, id)
    const sample = json === null ? null : readSample(json)
    const [same, undo, endpoints] = await Promise.all([
      found.checksum === null
        ? undefined
        : findSame(db, found.checksum, { partnerId: ownerOf(actor.tenant), but: id }),
      findUndo(db, id),
      readEndpointsOf(db, sample?.events.slice(0, sampleMax).map(({ partner }) => partner) ?? []),
    ])
    return {
      ...show(found),
      sample,
      same: same ?? null,
      undo: undo ?? null,
      endpoints,
      fields: sample?.columns === undefined ? [] : [...columnFields],
    }
  }),

  /** Creates an import. Its file is uploaded in slices afterwards. */
  begin: forOperators
    .input(BeginImport)
    .mutation(
      async ({ ctx: { db, user, services }, input: { fileName, sizeBytes, partner: slug, events } }) => {
        if (user.chosenPartner !== null && slug !== user.chosenPartner.slug)
          throw new ApiError('FORBIDDEN', 'This page belongs to another partner')
        const partner = slug === null ? null : await findPartner(db, slug)
        if (partner === undefined) throw invalid('partner: is not the slug of a partner')
        if (partner?.suspendedAt != null)
          throw invalid(`partner: ${partner.name} is suspended; resume the partner first`)
        const storages = importStoragesOf(services)
        await storages.requireRoom(sizeBytes)
        const values = {
          fileName: cleanFileName(fileName),
          sizeBytes,
          storage: storages.current.name,
          partnerId: partner?.id ?? null,
          events,
          userId: user.id,
        }
        return { id: await db.transaction((tx) => createImport(tx, values)) }
      },
    ),

  /**
   * Stores the next slice of a file if it begins at the expected offset. The last slice starts the check.
   * Returns the number of bytes received.
   */
  append: forOperators.input(AppendSlice).mutation(async ({ ctx, input: { id, offset, bytes } }) => {
    const { db } = ctx.services
    const { receivedBytes, sizeBytes, isTaken } = await receiveSlice(
      db,
      importStoragesOf(ctx.services),
      await requireImport(ctx, id),
      { offset, bytes },
    )
    if (isTaken && receivedBytes === sizeBytes) await beginCheck(ctx, id)
    return { receivedBytes, isTaken }
  }),

  /** Checks a file whose check has not started or has failed. */
  check: forOperators.input(ChooseImport).mutation(async ({ ctx, input: { id } }) => {
    await requireImport(ctx, id)
    const again = await ctx.db.transaction((tx) => sendImport(tx, id, 'unchecked'))
    if (again === undefined) await beginCheck(ctx, id)
  }),

  /** Rechecks a file with other choices. */
  choose: forOperators.input(ChooseReading).mutation(async ({ ctx, input: { id, ...choice } }) => {
    const { sample } = await requireImport(ctx, id)
    if (sample === null) throwTaken()
    const chosen = choose(readSample(sample), choice, await readStageNames(ctx.db))
    await ctx.db.transaction(async (tx) => (await sendImport(tx, id, 'unmapped', chosen)) ?? throwTaken())
  }),

  /** Imports a checked file, or resumes an interrupted import. */
  start: forOperators.input(StartImport).mutation(async ({ ctx, input: { id, events } }) => {
    const { partner } = await requireImport(ctx, id)
    if (partner?.suspendedAt != null)
      throw new ApiError('BAD_REQUEST', `${partner.name} is suspended; resume the partner first`)
    await startImport(ctx, async (tx) => {
      const begun =
        (await sendImport(tx, id, 'checked', events === undefined ? {} : { events })) ?? throwTaken()
      const { counts, columns, leaving } = readSample(begun.sample!)
      if (begun.movesDeals && partner !== null && leaving !== undefined)
        await note(
          { db: tx, actor: ctx.actor },
          {
            action: 'import.moved',
            subject: movedSubject(begun.fileName, partner.slug, leaving),
            // The audit entry names other partners, so it must not be visible to a partner.
            partnerId: null,
          },
        )
      if (columns !== undefined && begun.mapping !== null)
        await rememberMapping(tx, headerKey(columns), begun.mapping)
      return { ...begun, counts }
    })
  }),

  /** Creates the undo of an import, and checks it to preview the effects. Returns the id of the undo. */
  undo: forOperators.input(ChooseImport).mutation(async ({ ctx, input: { id } }) => {
    const { db, user } = ctx
    const found = await requireImport(ctx, id)
    const storage = importStoragesOf(ctx.services).current.name
    const undo = await beginUndo(db, found, storage, { origin: 'undo', userId: user.id }, sendImport)
    return { id: undo.id }
  }),

  /** Returns the rejected rows that can be corrected in the portal, and the number of other rejected rows. */
  rejectedRows: forOperators.input(ChooseImport).query(async ({ ctx, input: { id } }) => {
    const found = await requireImport(ctx, id)
    const rows = await readCorrectable(importStoragesOf(ctx.services), found)
    return {
      rows: rows.map(({ line, cells }) => ({ line, cells })),
      others: Math.max(0, found.rejected - rows.filter(({ isImported }) => !isImported).length),
    }
  }),

  /** Returns the remaining problems of corrected rows, without saving. */
  checkCorrections: forOperators.input(CorrectRows).mutation(async ({ ctx, input: { id, corrections } }) => {
    const found = await requireImport(ctx, id)
    const { faults } = await checkCorrections(ctx.db, importStoragesOf(ctx.services), found, corrections)
    return faults
  }),

  /** Creates and checks an import of the rejected rows that are now valid. Returns its id. */
  sendCorrections: forOperators.input(CorrectRows).mutation(async ({ ctx, input: { id, corrections } }) => {
    const found = await requireImport(ctx, id)
    const storages = importStoragesOf(ctx.services)
    return { id: await sendCorrections({ ...ctx, userId: ctx.user.id }, storages, found, corrections) }
  }),

  /** Discards a file that is not being imported. Deals written by an interrupted import remain. */
  discard: forOperators.input(ChooseImport).mutation(async ({ ctx, input: { id } }) => {
    const found = await requireImport(ctx, id)
    const storage = importStoragesOf(ctx.services).of(found.storage)
    await audited(
      ctx,
      ({ fileName, partnerId }: Discarded) => ({ action: 'import.discarded', subject: fileName, partnerId }),
      async (tx) => (await discardImport(tx, id)) ?? throwTaken(),
    )
    await storage.removeContent(found)
    // An import that changed nothing is deleted completely.
    if ((await findImport(ctx.db, id)) === undefined) await storage.removeRejected(id)
  }),
})

/** Streams for the route handlers of this process. */
export const importStreams = router({
  /** Returns a function that yields the rejected rows as CSV in batches. */
  rejected: forOperators.input(ChooseImport).query(async ({ ctx, input: { id } }) => {
    const storage = importStoragesOf(ctx.services).of((await requireImport(ctx, id)).storage)
    if (!(await storage.hasRejected(id))) throw notFound('Rejected rows')
    return async (take: (bytes: Uint8Array) => Promise<void>): Promise<void> => {
      for await (const bytes of storage.readRejected(id)) await take(bytes)
    }
  }),
})

/** Returns an import of the tenant. @throws ApiError 404 */
async function requireImport({ db, actor }: ReadingContext, id: number) {
  const found = await findImport(db, id)
  if (found === undefined || !(isInternal(actor) || found.partnerId === actor.tenant))
    throw notFound('Import')
  return found
}

/** Returns an import as shown in the portal. */
function show({
  partner,
  partnerId: _partnerId,
  userId: _userId,
  aliveAt: _aliveAt,
  storage: _storage,
  offsets: _offsets,
  ...found
}: Awaited<ReturnType<typeof readImports>>[number]) {
  return {
    ...found,
    stages: chosenStages(found),
    partner: partner && { slug: partner.slug, name: partner.name },
    rejectedName: rejectedNameOf(found.fileName),
  }
}
