// A page that is served asks for news: it loads itself anew when there is another version, and shows what is wrong.

const live = {
  async start() {
    if (DATA.live === null) return;
    document.documentElement.dataset.version = DATA.live;
    this.recall();
    for (let serial = -1; ; ) {
      try {
        const answer = await fetch(`/news?after=${serial}`);
        if (!answer.ok) throw new Error("there are no news");
        const news = await answer.json();
        serial = news.serial;
        this.show(news);
        if (news.version !== DATA.live) return this.reload();
      } catch {
        this.show({ findings: [], pending: 0, lost: true });
        serial = -1;
        await new Promise((done) => setTimeout(done, 1000));
      }
    }
  },

  show({ findings, pending, lost }) {
    const box = $("news");
    box.hidden = !findings.length && !lost;
    box.replaceChildren(
      el("strong", { text: lost ? "The watch has ended." : `${counted(findings.length, "finding")}; the picture is the last good one.` }),
      ...(findings.length ? [el("pre", { text: findings.join("\n") })] : []),
    );
    $("pending").hidden = !pending;
    $("pending").textContent = `making ${counted(pending, "level")} …`;
    document.documentElement.dataset.pending = pending;
  },

  reload() {
    memory.set("scroll", String(scrollY));
    if (desk.level) memory.set("game", JSON.stringify({ board: JSON.stringify(desk.level.board), log: playing.text, mode: desk.current }));
    location.reload();
  },

  /** Where the designer was, and the game that was being played if its board is still the same. */
  recall() {
    const game = JSON.parse(memory.get("game") ?? "null");
    if (game && desk.level && game.board === JSON.stringify(desk.level.board)) {
      playing.begin(law.parseLog(law.toBytes(game.log)).moves);
      desk.turn(game.mode);
    }
    memory.set("game", "null");
    scrollTo(0, Number(memory.get("scroll") ?? 0));
    memory.set("scroll", "0");
  },
};
