import { hash } from 'node:crypto'
import { initTRPC } from '@trpc/server'
import type { OpenApiMeta } from 'trpc-to-openapi'
import { z } from 'zod'
import type { Role } from '../accounts/role.ts'
import { asLongWork } from '../admission/slots.ts'
import '../values/issue-text.ts'
import { listIdOf } from '../deals/list-store.ts'
import { ApiError, statusOf, toApiError } from '../errors.ts'
import type { Services } from '../runtime/services.ts'
import type { Scope } from '../tokens/policy.ts'
import { Prepared } from '../values/prepared.ts'
import { transformer } from '../values/transformer.ts'
import { type Actor, partnerOf } from './actor.ts'
import { sizeOf, usualAnswerMaxBytes } from './answer-size.ts'
import { type Capability, may, refusals } from './capability.ts'
import type { Client } from './client.ts'

/** The context of every procedure. */
export interface Context {
  services: Services
  /** The caller; null if signed out. */
  actor: Actor | null
  /** The client. Anonymous callers without a known client share one rate limit. */
  client?: Client
  /** Returns true if the client already has the version with this ETag. */
  ifNoneMatch: (etag: string) => boolean
}

/** Metadata of a procedure, besides its input and output. */
interface Meta extends OpenApiMeta {
  scope?: Scope
  /** Limits concurrency for procedures that read many deals. */
  isLong?: boolean
  /** Maximum size of the response, if larger than the default. */
  answerMaxBytes?: number
}

const t = initTRPC
  .context<Context>()
  .meta<Meta>()
  .create({
    transformer,
    // The only place that decides which error details reach the portal.
    errorFormatter({ shape, error }) {
      const { code, message, errors } = toApiError(error)
      return { ...shape, message, data: { code, httpStatus: statusOf[code], errors } }
    },
  })

export const router = t.router
export const { mergeRouters } = t

/**
 * Adds shared services to the context, and rejects unexpectedly large responses, which would stay in memory
 * while slow clients read them.
 */
const procedure = t.procedure.use(async ({ ctx, meta, path, next }) => {
  const { db, config } = ctx.services
  const run = () => next({ ctx: { ...ctx, db, config } })
  const result = await (meta?.isLong === true ? asLongWork(run) : run())
  if (result.ok && sizeOf(result.data) > (meta?.answerMaxBytes ?? usualAnswerMaxBytes))
    throw new Error(`the response of ${path} is too large`)
  return result
})

/** A procedure for everybody, whether signed in or not. */
export const open = procedure

/** A procedure for signed-in users that concerns only their own account. */
export const personal = procedure.use(({ ctx, next }) => {
  const user = ctx.actor?.user ?? null
  if (user === null) throw new ApiError('UNAUTHORIZED', 'Sign in first')
  return next({ ctx: { ...ctx, actor: ctx.actor!, user } })
})

/** Requires that a role has a capability. @throws ApiError 403 */
export function requireCapability(role: Role, capability: Capability): void {
  if (!may(role, capability)) throw new ApiError('FORBIDDEN', refusals[capability])
}

/** A procedure for a partner's admins. Reads and changes only data of their own partner. */
export const forAdmins = personal.use(({ ctx, next }) => {
  requireCapability(ctx.user.role, 'administer')
  return next({ ctx: { ...ctx, partnerId: partnerOf(ctx.actor) } })
})

export const forOperators = personal.use(({ ctx, next }) => {
  requireCapability(ctx.user.role, 'operate')
  return next({ ctx })
})

/** A procedure for a partner's admins and for operators that sees only the caller's tenant. */
export const forManagers = personal.use(({ ctx, next }) => {
  requireCapability(ctx.user.role, 'manage')
  return next({ ctx: { ...ctx, tenant: ctx.actor.tenant } })
})

/**
 * A procedure for a partner's admins, and for operators who view the portal as that partner. Sees only that
 * partner.
 */
export const forPartnerManagers = forManagers.use(({ ctx, next }) =>
  next({ ctx: { ...ctx, partnerId: partnerOf(ctx.actor) } }),
)

/** Returns a procedure for authenticated callers that have `scope`. */
export function scoped(scope: Scope) {
  return procedure.meta({ scope }).use(({ ctx, next }) => {
    const { actor } = ctx
    if (actor === null) throw new ApiError('UNAUTHORIZED', 'Sign in first')
    if (!actor.scopes.includes(scope)) {
      throw new ApiError('FORBIDDEN', `This needs the scope ${scope}`, {
        headers: { 'WWW-Authenticate': `Bearer error="insufficient_scope", scope="${scope}"` },
      })
    }
    // The replica may be slightly stale, so it serves only data that callers do not change themselves, such
    // as deals.
    const reads = ctx.services.replica?.readsOf(listIdOf(actor.tenant)) ?? ctx.db
    return next({ ctx: { ...ctx, actor, reads } })
  })
}

/** Returns the response with its hash as entity tag, and without the JSON if the client has this version. */
export function tagged<T>(
  ifNoneMatch: Context['ifNoneMatch'],
  json: string,
  details?: ConstructorParameters<typeof Prepared>[2],
): Prepared<T> {
  const etag = `W/"${hash('sha256', json, 'base64url').slice(0, 22)}"`
  return new Prepared<T>(ifNoneMatch(etag) ? null : json, etag, details)
}

/**
 * Returns an output schema for JSON that is already serialized. OpenAPI documents the output as `schema`;
 * nothing validates it.
 */
export function preparedOutput<T>(schema: z.ZodType<T>) {
  const id = schema.meta()?.id as string
  return z.custom<Prepared<T>>().meta({ override: { $ref: `#/components/schemas/${id}` } })
}
