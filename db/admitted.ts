import type postgres from 'postgres'

/** Decides when a statement or a transaction may begin. */
export interface Gate {
  /** Admits one statement; null when unlimited. */
  admit(): Admitted | null
}

interface Admitted {
  /** Resolves when it may be sent; undefined: at once. Throws or rejects if it is refused. */
  begin(): Promise<void> | undefined
  /** Passes the slot on to the next one. */
  end(): void
  /** Calls `cancel` if its request is cancelled before it ends. */
  whenCancelled(cancel: () => void): void
  /** Returns the error for a statement of a cancelled request; otherwise null. */
  problem(): Error | null
  /** Runs the work of a transaction. */
  within<T>(work: () => T): T
}

/** A driver statement, sent by its handler when awaited. */
interface Statement extends Promise<unknown> {
  handler: (statement: Statement) => void
  /** Null until it is sent. */
  state: object | null
  reject(error: unknown): void
  cancel(): Promise<void> | null
}

type Send = Statement['handler']

type AnyFunction = (...given: unknown[]) => unknown

/**
 * Returns the pool with statements and transactions admitted by the gate. A slot is released when the
 * database has finished. When the request is cancelled, waiting statements are dropped and running ones are
 * cancelled at the database.
 */
export function admitStatements<Pool extends postgres.Sql>(pool: Pool, gate: Gate): Pool {
  const begin = async (...given: unknown[]) => {
    const admitted = gate.admit()
    if (admitted === null) return (pool.begin as AnyFunction)(...given)
    await admitted.begin()
    try {
      const work = given.pop() as (sql: postgres.TransactionSql) => unknown
      return await (pool.begin as AnyFunction)(...given, (sql: postgres.TransactionSql) =>
        admitted.within(() => work(cancellable(sql, admitted))),
      )
    } finally {
      admitted.end()
    }
  }
  return wrap(pool, { begin }, (statement, send) => {
    const admitted = gate.admit()
    if (admitted === null) send(statement)
    else void sendAdmitted(statement, send, admitted)
  })
}

async function sendAdmitted(statement: Statement, send: Send, admitted: Admitted): Promise<void> {
  try {
    const ready = admitted.begin()
    // Statements that need not wait are sent in the same tick.
    if (ready !== undefined) await ready
  } catch (error) {
    return statement.reject(error)
  }
  const problem = admitted.problem()
  if (problem !== null) {
    admitted.end()
    return statement.reject(problem)
  }
  const end = () => admitted.end()
  // The driver's own `then` would send it.
  void Promise.prototype.then.call(statement, end, end)
  admitted.whenCancelled(() => cancel(statement))
  send(statement)
}

/** Returns the statements of a transaction, which are cancelled with its request. */
function cancellable(sql: postgres.TransactionSql, admitted: Admitted): postgres.TransactionSql {
  const underway = new Set<Statement>()
  admitted.whenCancelled(() => underway.forEach(cancel))
  const sendCancellable = (statement: Statement, send: Send) => {
    const problem = admitted.problem()
    if (problem !== null) return statement.reject(problem)
    const end = () => underway.delete(statement)
    void Promise.prototype.then.call(statement, end, end)
    underway.add(statement)
    send(statement)
  }
  const wrapInner = (inner: postgres.TransactionSql): postgres.TransactionSql => {
    const savepoint = (...given: unknown[]) => {
      const work = given.pop() as (nested: postgres.TransactionSql) => unknown
      return (inner.savepoint as AnyFunction)(...given, (nested: postgres.TransactionSql) =>
        work(wrapInner(nested)),
      )
    }
    return wrap(inner, { savepoint }, sendCancellable)
  }
  return wrapInner(sql)
}

/** Cancels a statement in the database. One that the driver has yet to send would hold up those behind it. */
function cancel(statement: Statement): void {
  // The statement may have ended in the meantime, and the cancellation may fail to connect.
  if (statement.state !== null) statement.cancel()?.catch(() => {})
}

/** Returns a copy of the driver's function whose statements are sent by `sendBy`. */
function wrap<Sql extends postgres.ISql>(
  sql: Sql,
  methods: Record<string, AnyFunction>,
  sendBy: (statement: Statement, send: Send) => void,
): Sql {
  let send: Send
  // One handler for all statements: a closure for each would keep its rows until the next full collection,
  // and halve the rate of lists.
  const handler = (statement: Statement) => sendBy(statement, send)
  const prepared = (made: unknown) => {
    if (made instanceof Promise) {
      // All statements of this driver function have the same handler.
      send = (made as Statement).handler
      ;(made as Statement).handler = handler
    }
    return made
  }
  const unsafe = (...given: unknown[]) => prepared((sql.unsafe as AnyFunction)(...given))
  const replaced: Record<string | symbol, unknown> = { unsafe, ...methods }
  return new Proxy(sql as Sql & AnyFunction, {
    apply: (target, _this, given) => prepared(Reflect.apply(target, undefined, given)),
    get: (target, name) => (Object.hasOwn(replaced, name) ? replaced[name] : Reflect.get(target, name)),
  })
}
