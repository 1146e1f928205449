// What the gateway is set up with, in memory: providers, models, packages, keys, members and invites, found by id, by name and by hash.
// Every request reads from here; changes are made by this folder's actions, which write them to disk first.

import {
  keyStatus,
  type Key,
  type KeyStatus,
  type Model,
  type Package,
  type Provider,
  type Target,
} from '#core/entities.ts'
import { isInvitable, type Invite } from '#core/invite.ts'
import { NO_LIMITS, type Member, type MemberLimits } from '#core/member.ts'
import type { Project } from '#core/project.ts'
import type { CatalogChange, CatalogState } from '#store/catalog-rows.ts'

export class Catalog {
  readonly #providers = new Map<string, Provider>()
  readonly #models = new Map<string, Model>()
  readonly #packages = new Map<string, Package>()
  readonly #keys = new Map<string, Key>()
  readonly #keysByHash = new Map<string, Key>()
  readonly #members = new Map<string, Member>()
  /** By the hash of their code. */
  readonly #invites = new Map<string, Invite>()
  readonly #projects = new Map<string, Project>()
  readonly #priceVersions: Map<string, number>
  #changes = 0

  constructor(state: CatalogState, priceVersions: ReadonlyMap<string, number>) {
    this.#priceVersions = new Map(priceVersions)
    for (const provider of state.providers) this.#providers.set(provider.id, provider)
    for (const model of state.models) this.#models.set(model.id, model)
    for (const entity of state.packages) this.#packages.set(entity.id, entity)
    for (const key of state.keys) this.#putKey(key)
    for (const member of state.members) this.#members.set(member.id, member)
    for (const invite of state.invites) this.#invites.set(invite.codeHash, invite)
    for (const project of state.projects) this.#projects.set(project.id, project)
  }

  get providers(): Provider[] {
    return [...this.#providers.values()]
  }

  get models(): Model[] {
    return [...this.#models.values()]
  }

  /** All targets at these providers. */
  targetsAt(providerIds: ReadonlySet<string>): Target[] {
    return this.models.flatMap(({ targets }) => targets).filter(({ providerId }) => providerIds.has(providerId))
  }

  get packages(): Package[] {
    return [...this.#packages.values()]
  }

  get keys(): Key[] {
    return [...this.#keys.values()]
  }

  get members(): Member[] {
    return [...this.#members.values()]
  }

  /** Those whose time is over may be among them. */
  get invites(): Invite[] {
    return [...this.#invites.values()]
  }

  inviteByHash(codeHash: string): Invite | undefined {
    return this.#invites.get(codeHash)
  }

  /** By id or by name. */
  provider(idOrName: string): Provider | undefined {
    return this.#providers.get(idOrName) ?? this.providers.find((provider) => provider.name === idOrName)
  }

  model(id: string): Model | undefined {
    return this.#models.get(id)
  }

  /** By id or by name. */
  package(idOrName: string): Package | undefined {
    return this.#packages.get(idOrName) ?? this.packages.find((entity) => entity.name === idOrName)
  }

  /** By id or by name, among those that `isMeant`; of several of one name the one that is not revoked, else the newest. */
  key(idOrName: string, isMeant: (key: Key) => boolean = () => true): Key | undefined {
    const byId = this.#keys.get(idOrName)
    if (byId !== undefined && isMeant(byId)) return byId
    const named = this.keys.filter((key) => key.name === idOrName && isMeant(key))
    return named.find((key) => key.storedStatus !== 'revoked') ?? named.at(-1)
  }

  /** By the hash of a key's value, or of the one that it had before. */
  keyByHash(hash: string): Key | undefined {
    return this.#keysByHash.get(hash)
  }

  /** Whether nothing is set up at all. */
  get isFresh(): boolean {
    return this.#providers.size === 0 && this.#packages.size === 0 && this.#keys.size === 0
  }

  keysOfPackage(packageId: string): Key[] {
    return this.keys.filter((key) => key.packageId === packageId)
  }

  /** By id or by name; names that differ only in their case are one name. */
  member(idOrName: string): Member | undefined {
    const byId = this.#members.get(idOrName)
    if (byId !== undefined) return byId
    const name = idOrName.toLowerCase()
    return this.members.find((member) => member.name.toLowerCase() === name)
  }

  /** What all keys of a member may use together; nothing is searched, because every call of a member's key asks. */
  limitsOfMember(memberId: string): MemberLimits {
    return this.#members.get(memberId)?.limits ?? NO_LIMITS
  }

  /** Those that have limits. */
  get projects(): Project[] {
    return [...this.#projects.values()]
  }

  /** By its name in small letters. */
  project(name: string): Project | undefined {
    return this.#projects.get(name)
  }

  /** Every key of a member, revoked ones too. */
  keysOfMember(memberId: string): Key[] {
    return this.keys.filter((key) => key.memberId === memberId)
  }

  /** The state of a key at an instant. A suspended member's keys are suspended with them. */
  statusOf(key: Key, nowMs: number): KeyStatus {
    const status = keyStatus(key, nowMs)
    if (status !== 'active' || key.memberId === undefined) return status
    return this.#members.get(key.memberId)?.status === 'suspended' ? 'suspended' : status
  }

  /** The version that a model's next price gets; versions of removed models are not used again. */
  nextPriceVersion(modelId: string): number {
    return (this.#priceVersions.get(modelId) ?? 0) + 1
  }

  /** How many changes were taken over: who looks again need not where it is the same. */
  get changes(): number {
    return this.#changes
  }

  /** Takes over a change that is on disk. */
  accept(change: CatalogChange): void {
    this.#changes += 1
    switch (change.type) {
      case 'put-provider':
        this.#providers.set(change.provider.id, change.provider)
        return
      case 'delete-provider':
        this.#providers.delete(change.id)
        return
      case 'put-model':
        this.#models.set(change.model.id, change.model)
        if (change.model.price !== undefined) this.#priceVersions.set(change.model.id, change.model.price.version)
        return
      case 'delete-model':
        this.#models.delete(change.id)
        return
      case 'put-package':
        this.#packages.set(change.package.id, change.package)
        return
      case 'delete-package':
        this.#packages.delete(change.id)
        return
      case 'put-key':
        this.#putKey(change.key)
        return
      case 'put-member':
        this.#members.set(change.member.id, change.member)
        if (!isInvitable(change.member)) this.#endInviteOf(change.member.id)
        return
      case 'delete-member':
        this.#members.delete(change.id)
        this.#endInviteOf(change.id)
        // As the database does; only revoked keys can be left.
        for (const key of this.keysOfMember(change.id)) this.#putKey({ ...key, memberId: undefined })
        return
      case 'put-invite':
        this.#endInviteOf(change.invite.memberId)
        this.#invites.set(change.invite.codeHash, change.invite)
        return
      case 'delete-invite':
        this.#invites.delete(change.codeHash)
        return
      case 'put-project':
        this.#projects.set(change.project.id, change.project)
        return
      case 'delete-project':
        this.#projects.delete(change.id)
        return
    }
  }

  #endInviteOf(memberId: string): void {
    for (const invite of this.#invites.values()) if (invite.memberId === memberId) this.#invites.delete(invite.codeHash)
  }

  #putKey(key: Key): void {
    const before = this.#keys.get(key.id)
    if (before !== undefined) for (const hash of hashesOf(before)) this.#keysByHash.delete(hash)
    this.#keys.set(key.id, key)
    for (const hash of hashesOf(key)) this.#keysByHash.set(hash, key)
  }
}

function hashesOf({ hash, previous }: Key): string[] {
  return previous === undefined ? [hash] : [hash, previous.hash]
}
