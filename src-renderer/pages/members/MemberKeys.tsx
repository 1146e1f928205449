import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import type { MemberView } from '#contract/members.ts'
import { useApi } from '#renderer/api/use-api.ts'
import { Button } from '#renderer/components/button.tsx'
import { DrawerSection, Facts } from '#renderer/components/facts.tsx'
import { Problem } from '#renderer/components/form-dialog.tsx'
import { Money } from '#renderer/components/money.tsx'
import { Loading } from '#renderer/components/states.tsx'
import { Tokens } from '#renderer/components/tokens.tsx'
import { tokensOf, type MemberUsage } from '#renderer/data/member-usage.ts'
import { countText } from '#renderer/data/numbers.ts'

type MemberMonthProps = { readonly member: MemberView; readonly usage: MemberUsage | undefined }

/** What the member's keys did since the first of the month. */
export function MemberMonth({ member, usage }: MemberMonthProps) {
  const { t, i18n } = useTranslation('members')
  const totals = usage?.of(member.id)
  return (
    <DrawerSection
      title={t('month')}
      actions={
        <Button asChild size="small" look="quiet">
          <Link to="/usage" search={{ member: member.name, group: 'key', from: '30d' }}>
            {t('showUsage')}
          </Link>
        </Button>
      }
    >
      <Facts
        facts={[
          { name: t('column.requests'), value: totals ? countText(totals.requests, i18n.language) : '–' },
          { name: t('column.tokens'), value: <Tokens count={totals && tokensOf(totals)} isExact /> },
          { name: t('column.charge'), value: <Money credits={totals?.charge_credits} detail="exact" /> },
        ]}
      />
    </DrawerSection>
  )
}

/** The member's keys that are not revoked, each with what it has left. */
export function MemberKeys({ member }: { readonly member: MemberView }) {
  const { t } = useTranslation('members')
  const { data, isPending, error } = useApi('listKeys', {})
  const keys = data?.filter((key) => key.owner === member.name && key.status !== 'revoked')
  return (
    <DrawerSection
      title={t('column.keys')}
      actions={
        member.keys > 0 && (
          <Button asChild size="small" look="quiet">
            <Link to="/keys" search={{ owner: member.name }}>
              {t('showKeys')}
            </Link>
          </Button>
        )
      }
    >
      {keys === undefined && isPending && <Loading lines={2} />}
      {keys === undefined && <Problem text={error?.message} />}
      {keys?.length === 0 && <p className="text-sm text-muted">{t('noKeys')}</p>}
      {keys !== undefined && (
        <Facts
          facts={keys.map(({ name, balance }) => ({
            name,
            value:
              balance.total_credits === null ? (
                t('unlimited')
              ) : (
                <>
                  <Money credits={balance.remaining_credits} /> / <Money credits={balance.total_credits} />
                </>
              ),
          }))}
        />
      )}
    </DrawerSection>
  )
}
