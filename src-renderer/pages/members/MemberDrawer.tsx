import { useTranslation } from 'react-i18next'
import type { MemberView } from '#contract/members.ts'
import type { PackageView } from '#contract/schemas.ts'
import { Button } from '#renderer/components/button.tsx'
import { CopyField } from '#renderer/components/copy.tsx'
import { Sheet } from '#renderer/components/dialog.tsx'
import { DrawerSection, Facts } from '#renderer/components/facts.tsx'
import { Time } from '#renderer/components/time.tsx'
import { countText } from '#renderer/data/numbers.ts'
import type { MemberUsage } from '#renderer/data/member-usage.ts'
import { memberActions, type MemberTask } from '#renderer/pages/members/MemberDialogs.tsx'
import { MemberLimits } from '#renderer/pages/members/MemberLimits.tsx'
import { MemberKeys, MemberMonth } from '#renderer/pages/members/MemberKeys.tsx'
import { MemberState, OpenPackages } from '#renderer/pages/members/MemberState.tsx'

type MemberDrawerProps = {
  readonly member: MemberView
  readonly packages: readonly PackageView[] | undefined
  readonly usage: MemberUsage | undefined
  readonly onClose: () => void
  readonly onAction: (task: MemberTask) => void
}

export function MemberDrawer({ member, packages, usage, onClose, onAction }: MemberDrawerProps) {
  const { t, i18n } = useTranslation('members')
  return (
    <Sheet isOpen onOpenChange={onClose} title={member.name} description={t(`roleText.${member.role}`)}>
      <div className="flex flex-col gap-3 pb-4">
        <p>
          <MemberState member={member} />
        </p>
        <div className="flex flex-wrap gap-2">
          {memberActions(member).map((action) => (
            <Button
              key={action}
              size="small"
              look={action === 'remove' ? 'danger' : 'plain'}
              onClick={() => onAction({ action, member })}
            >
              {t(`action.${action}`)}
            </Button>
          ))}
        </div>
      </div>
      <MemberMonth member={member} usage={usage} />
      <MemberKeys member={member} />
      <DrawerSection title={t('details')}>
        <Facts
          facts={[
            { name: t('column.role'), value: t(`role.${member.role}`) },
            { name: t('column.packages'), value: <OpenPackages member={member} packages={packages} /> },
            { name: t('column.keys'), value: countText(member.keys, i18n.language) },
            { name: t('sessions'), value: countText(member.sessions, i18n.language) },
            { name: t('column.seen'), value: <Time at={member.last_seen_at} none={t('never')} /> },
            { name: t('created'), value: <Time at={member.created_at} /> },
          ]}
        />
        <CopyField label={t('id')} text={member.id} />
      </DrawerSection>
      <MemberLimits member={member} />
    </Sheet>
  )
}
