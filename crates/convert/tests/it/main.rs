mod html_hostile;
mod html_pages;
