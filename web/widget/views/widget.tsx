/** The widget: whichever screen the person is at, and the list that lies over it. */
import { Announcement } from './announcement.tsx';
import { MenuDialog } from './menu.tsx';
import { OrderScreen } from './order.tsx';
import { TradeScreen } from './trade.tsx';
import type { View } from './view.ts';
import { WalletScreen } from './wallet.tsx';

export function Widget({ view }: { view: View }) {
  const { screen, menu, setup } = view.state;
  const [side] = setup.sides;
  const title = setup.sides.length > 1 ? 'title' : side === 'buy' ? 'titleBuy' : 'titleSell';
  return (
    <>
      <h1 class="unseen" tabIndex={-1}>
        {view.say(title)}
      </h1>
      {screen === 'trade' && <TradeScreen view={view} />}
      {screen === 'wallet' && <WalletScreen view={view} />}
      {screen === 'order' && <OrderScreen view={view} />}
      {menu && <MenuDialog key={menu} view={view} menu={menu} />}
      <Announcement view={view} />
    </>
  );
}
