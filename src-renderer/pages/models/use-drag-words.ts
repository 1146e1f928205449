// How targets are dragged, and what a screen reader is told meanwhile.

import { KeyboardSensor, PointerSensor, useSensor, useSensors, type Announcements } from '@dnd-kit/core'
import { sortableKeyboardCoordinates } from '@dnd-kit/sortable'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import type { OrderedTarget } from '#renderer/data/target-order.ts'

export function useDragSensors() {
  return useSensors(
    // A press that does not move is a click.
    useSensor(PointerSensor, { activationConstraint: { distance: 4 } }),
    useSensor(KeyboardSensor, { coordinateGetter: sortableKeyboardCoordinates }),
  )
}

export function useDragWords(order: readonly OrderedTarget[]) {
  const { t } = useTranslation('models')
  return useMemo(() => {
    const placeOf = (id: string | number | undefined) => order.findIndex((target) => target.id === id) + 1
    const nameOf = (id: string | number) => order.find((target) => target.id === id)?.provider ?? ''
    const announcements: Announcements = {
      onDragStart: ({ active }) => t('drag.start', { name: nameOf(active.id), place: placeOf(active.id) }),
      onDragOver: ({ active, over }) => t('drag.over', { name: nameOf(active.id), place: placeOf(over?.id) }),
      onDragEnd: ({ active, over }) => t('drag.end', { name: nameOf(active.id), place: placeOf(over?.id) }),
      onDragCancel: ({ active }) => t('drag.cancel', { name: nameOf(active.id) }),
    }
    return { announcements, screenReaderInstructions: { draggable: t('drag.how') } }
  }, [order, t])
}
