import { type DevtoolsEvent, isObject } from './devtools-connection.ts';

/** What the browser tells of a target. */
export interface Target {
  targetId: string;
  type: string;
  url: string;
  /** Of a frame: the target whose document it is in. */
  parentId: string | null;
}

export type TargetChange =
  | { change: 'created' | 'changed'; target: Target }
  | { change: 'destroyed'; targetId: string }
  | { change: 'crashed'; targetId: string; status: string; errorCode: number };

// What has a main thread of its own to be asked: no workers, and not the browser itself.
const watchedTypes = new Set(['page', 'iframe', 'webview', 'background_page', 'browser_ui']);
const mostTargets = 1_000;
// As deep as frames of frames of a page may be.
const deepest = 32;

/** The targets of a browser, by what `Target.setDiscoverTargets` makes it tell. */
export class TargetList {
  readonly #targets = new Map<string, Target>();

  /** Null for what changes nothing here. Of more than 1,000 targets the rest is not looked at. */
  take({ method, params }: DevtoolsEvent): TargetChange | null {
    switch (method) {
      case 'Target.targetCreated':
      case 'Target.targetInfoChanged':
        return this.#tell(params['targetInfo']);
      case 'Target.targetDestroyed':
        return this.#destroy(params['targetId']);
      case 'Target.targetCrashed':
        return this.#crash(params);
      default:
        return null;
    }
  }

  /** The page that a target is, or is a part of; null where the browser does not tell. */
  pageOf(targetId: string): string | null {
    let target = this.#targets.get(targetId);
    for (let depth = 0; target?.type === 'iframe' && depth < deepest; depth++) {
      target = target.parentId === null ? undefined : this.#targets.get(target.parentId);
    }
    return target === undefined || target.type === 'iframe' ? null : target.targetId;
  }

  #tell(info: unknown): TargetChange | null {
    const target = targetOf(info);
    if (target === null || !watchedTypes.has(target.type)) return null;
    const known = this.#targets.get(target.targetId);
    if (known === undefined && this.#targets.size >= mostTargets) return null;
    this.#targets.set(target.targetId, target);
    if (known === undefined) return { change: 'created', target };
    return known.url === target.url ? null : { change: 'changed', target };
  }

  #destroy(targetId: unknown): TargetChange | null {
    if (typeof targetId !== 'string' || !this.#targets.delete(targetId)) return null;
    return { change: 'destroyed', targetId };
  }

  #crash({ targetId, status, errorCode }: DevtoolsEvent['params']): TargetChange | null {
    if (typeof targetId !== 'string' || !this.#targets.has(targetId)) return null;
    return {
      change: 'crashed',
      targetId,
      status: typeof status === 'string' ? status.slice(0, 64) : 'unknown',
      errorCode: typeof errorCode === 'number' ? errorCode : 0,
    };
  }
}

function targetOf(info: unknown): Target | null {
  if (!isObject(info)) return null;
  const { targetId, type, url, parentId } = info;
  if (typeof targetId !== 'string' || typeof type !== 'string' || typeof url !== 'string') {
    return null;
  }
  if (targetId === '' || targetId.length > 128) return null;
  return { targetId, type, url, parentId: typeof parentId === 'string' ? parentId : null };
}
