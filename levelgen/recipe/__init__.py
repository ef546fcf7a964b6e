"""Pack recipes: YAML → `Recipe`, and a recipe → the plan of every level.

    project = open_project(Path("templates/packs/eram.yaml"))      # templates/shapes and faces/ beside the recipe
    recipe  = read_recipe(Path("templates/packs/eram.yaml"), project)
    plans   = plan(recipe)                                         # what each level shall be, nothing composed yet
    layout  = layout_of(plans[11], project.library)

A plan decides everything by formula or by streams of the level's seed `SEED/LEVEL`: `templates` chooses what the
level is made of, `templates/any/N` the template of part N where a recipe asks for any of a kind, `face-choice` which
faces it shows. So a level depends on its own number and section only, and on the few levels before it in one respect:
what they were made of is not chosen again while there is another choice. A level that is too like one of those, or
whose seed somebody rejected, is drawn again with the seed `SEED/LEVEL~1`, `~2`, …, which its record then names.

`lint` finds every defect of templates, recipes and face sets at once.
"""

from levelgen.recipe.curve import Aim, Curve, Over, Points, Sawtooth, Slack, Wins
from levelgen.recipe.data import (
    APART,
    Apart,
    Asked,
    Choice,
    Daily,
    Hide,
    LevelPlan,
    Recipe,
    Rejected,
    Section,
    draw_seed,
)
from levelgen.recipe.linting import WARNINGS, lint, unfit
from levelgen.recipe.planning import daily_plans, layout_of, plan, planned
from levelgen.recipe.project import Project, open_project, project_root
from levelgen.recipe.reading import parse_recipe, read_recipe

__all__ = [
    "APART",
    "WARNINGS",
    "Aim",
    "Apart",
    "Asked",
    "Choice",
    "Curve",
    "Daily",
    "Hide",
    "LevelPlan",
    "Over",
    "Points",
    "Project",
    "Recipe",
    "Rejected",
    "Sawtooth",
    "Section",
    "Slack",
    "Wins",
    "daily_plans",
    "draw_seed",
    "layout_of",
    "lint",
    "open_project",
    "parse_recipe",
    "plan",
    "planned",
    "project_root",
    "read_recipe",
    "unfit",
]
